// Each system call with which files get their names fails once, with the errors of several file systems, fails with all
// that follow, gives a false error, or is the last of its process. Afterwards the old files or the new files are there,
// and no manifest lies beside an artifact that it does not describe. export_faults_test shows that export makes the
// same calls.
#include <cerrno>
#include <fstream>
#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/faults/faults.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::MatchesRegex;

const Files kOldPair = {{"m.manifest.json", "old manifest"}, {"m.pt", "old artifact"}};
const Files kNewPair = {{"m.manifest.json", "new manifest"}, {"m.pt", "new artifact"}};
const Files kNewFolder = {{"out/m.pt", "new artifact"}};
const std::map<std::string, std::string> kPoorFileSystem = {{"NO_TMPFILE", "1"}, {"NO_LINK", "1"}};

struct Case {
  std::string name;
  std::string what;  // What tests/faults/commit.cc writes.
  Files old, right;  // What is there before and after.
  std::map<std::string, std::string> file_system;

  friend void PrintTo(const Case& value, std::ostream* out) { *out << value.name; }
};

class CommitFaultsTest : public testing::TestWithParam<Case> {
 protected:
  ToolResult Commit(const std::map<std::string, std::string>& faults) const {
    return RunFaulty("tests/faults/commit", {GetParam().what, "new"}, folder_, faults);
  }

  // Commits once for each call: the first call is faulty, then the second, and so on. `check`s the files after each.
  void ForEachCall(const std::string& kind, int error, const std::function<void(const ToolResult&)>& check) {
    for (int number = 1;; ++number) {
      folder_ = EmptyFolder("faults");
      for (const auto& [name, text] : GetParam().old) std::ofstream(folder_ + "/" + name) << text;
      std::map<std::string, std::string> faults = GetParam().file_system;
      faults.insert({{"FAULT_KIND", kind},
                     {"FAULT_AT", absl::StrCat(number)},
                     {"FAULT_ERROR", absl::StrCat(error)},
                     {"FAULT_CALLS", absl::StrCat(kNameCalls, ",write")}});
      const ToolResult result = Commit(faults);
      if (!FaultCame()) {
        EXPECT_GE(number, 10);
        return;
      }
      SCOPED_TRACE(absl::StrCat(kind, " ", error, " at call ", number, ": ", result.err));
      ExpectNoFalseManifest();
      check(result);
    }
  }

  Files Complete() const { return WithoutPartials(FilesIn(folder_)); }

  void ExpectNoFalseManifest() const {
    Files only_old = GetParam().old, only_new = GetParam().right;
    only_old.erase("m.manifest.json");
    only_new.erase("m.manifest.json");
    EXPECT_THAT(Complete(), AnyOf(GetParam().old, GetParam().right, only_old, only_new));
  }

  // Expects the new files, or a message that says which files are there.
  void ExpectTold(const ToolResult& result) const {
    const Files files = Complete();
    if (result.exit_status == 0) {
      EXPECT_EQ(files, GetParam().right);
    } else if (files != GetParam().old) {
      const std::string told =
          files == kNewFolder
              ? "out is complete; use it, or remove it and run this again"
              : absl::StrCat("m.pt is ", files.at("m.pt") == "new artifact" ? "new" : "as it was",
                             ", m.manifest.json is ", files.count("m.manifest.json") > 0 ? "new" : "missing",
                             "\n  run it again");
      EXPECT_THAT(result.err, HasSubstr(absl::StrCat("\n  it could not be undone: ", told)));
    }
  }

  void ExpectThatTheNextRunCleansUp() const {
    if (Complete() != kNewFolder) {
      EXPECT_EQ(Commit({}).exit_status, 0);
    }
    EXPECT_EQ(FilesIn(folder_), GetParam().right);
    EXPECT_EQ(FileNames(folder_).size(), GetParam().what == "pair" ? 2 : 1);
  }

  std::string folder_;
};

// EIO is that of a broken disk, EDQUOT that of a quota, ESTALE that of NFS, EXDEV that of folders that look like one
// file system and are not.
TEST_P(CommitFaultsTest, AFailureChangesNothing) {
  for (const int error : {EIO, EDQUOT, ESTALE, EXDEV}) {
    ForEachCall("fail", error, [&](const ToolResult& result) {
      ExpectTold(result);
      if (result.exit_status == 0) return ExpectThatTheNextRunCleansUp();  // It could not remove a partial file.
      EXPECT_THAT(result.err, MatchesRegex("[A-Z_]+: (m|out|/)[^:]*: (.|\n)*"));
      // Without hard links a replaced artifact cannot be restored.
      if (GetParam().file_system.empty()) {
        EXPECT_EQ(FilesIn(folder_), GetParam().old);
      }
    });
  }
}

TEST_P(CommitFaultsTest, WhenAllCallsFailTheMessageNamesTheFilesThatAreThere) {
  ForEachCall("last", EIO, [&](const ToolResult& result) { ExpectTold(result); });
}

// Network file systems may report an error for a call that was made, because they repeat it.
TEST_P(CommitFaultsTest, AFalseErrorLeavesNoFalseManifest) {
  for (const int error : {EIO, ESTALE, ENOENT}) {
    ForEachCall("lie", error, [&](const ToolResult& result) {
      ExpectTold(result);
      ExpectThatTheNextRunCleansUp();
    });
  }
}

TEST_P(CommitFaultsTest, AKillLeavesNoFalseManifestAndTheNextRunCleansUp) {
  ForEachCall("kill", 0, [&](const ToolResult& result) {
    EXPECT_EQ(result.exit_status, 128 + 9);
    ExpectThatTheNextRunCleansUp();
  });
}

TEST_P(CommitFaultsTest, ASignalLeavesOldOrNewAndNothingElse) {
  ForEachCall("term", 0, [&](const ToolResult& result) {
    EXPECT_EQ(result.exit_status, 128 + 15);
    EXPECT_THAT(FilesIn(folder_), AnyOf(GetParam().old, GetParam().right));
  });
}

TEST(WriteFaultsTest, AFullDiskAndAQuotaAreSaid) {
  const std::string folder = EmptyFolder("writes");
  for (const auto& [error, words] : {std::pair{ENOSPC, "the disk is full"}, {EDQUOT, "the disk quota is used up"}}) {
    const ToolResult result = RunFaulty(
        "tests/faults/commit", {"pair", "new"}, folder,
        {{"FAULT_KIND", "last"}, {"FAULT_AT", "1"}, {"FAULT_ERROR", absl::StrCat(error)}, {"FAULT_CALLS", "write"}});
    EXPECT_EQ(result.err, absl::StrCat("RESOURCE_EXHAUSTED: m.pt: cannot write 3 bytes after 0: ", words, "\n"));
    EXPECT_THAT(FileNames(folder), testing::IsEmpty());
  }
}

INSTANTIATE_TEST_SUITE_P(
    FileSystems, CommitFaultsTest,
    testing::Values(Case{"New", "pair", {}, kNewPair, {}}, Case{"Replaced", "pair", kOldPair, kNewPair, {}},
                    Case{"WithoutUnnamedFilesAndLinks", "pair", kOldPair, kNewPair, kPoorFileSystem},
                    Case{"Folder", "folder", {}, kNewFolder, {}},
                    Case{"FolderWithoutUnnamedFilesAndLinks", "folder", {}, kNewFolder, kPoorFileSystem}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace modelport
