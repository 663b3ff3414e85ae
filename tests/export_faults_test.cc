// Each system call with which export and package change the file system fails once, and is the last call of the process
// once. Afterwards the old files or the new files are there, and no manifest lies beside an artifact that it does not
// describe.
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/examples.h"
#include "tests/faults.h"
#include "tests/tool_process.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Pair;
using testing::StartsWith;

// Names and contents of files; in failure texts "old" or "new" stands for the contents.
using Files = std::map<std::string, std::string>;

const Files kOldFiles = {{"m.manifest.json", "old manifest"}, {"m.pt", "old artifact"}};
const Files kNewFiles = {{"m.manifest.json", "new manifest"}, {"m.pt", "new artifact"}};

// Calls that change file names. write_faults_test.cc covers writes and maps.
constexpr char kCalls[] = "rename,link,linkat,unlink,fsync,ftruncate,flock,mkdir";

std::vector<std::string> Arguments(const std::string& out) {
  return {"--model=" + ExampleModel("depth"), "--weights=seeded", "--out=" + out,
          "--plugin_path=" + DataPath("models")};
}

Files FilesIn(const std::string& folder) {
  Files files;
  for (const std::string& name : FileNames(folder)) files[name] = ReadFile(folder + "/" + name);
  return files;
}

struct Case {
  std::string name;
  bool is_there;                              // Whether an artifact of an earlier export is there.
  std::map<std::string, std::string> faults;  // Of the file system.

  friend void PrintTo(const Case& value, std::ostream* out) { *out << value.name; }
};

class ExportFaultsTest : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (GetParam().is_there) old_ = kOldFiles;
    const std::string folder = EmptyFolder("right");
    ASSERT_EQ(RunTool("export", ExportArguments(), folder).exit_status, 0);
    right_ = FilesIn(folder);
  }

  static std::vector<std::string> ExportArguments() {
    std::vector<std::string> arguments = Arguments("m.pt");
    arguments.push_back("--noverify");  // The proof changes no file.
    return arguments;
  }

  // Runs one export for each call that kCalls names: the first call is faulty, then the second, and so on. `check`s the
  // files after each. Returns the number of calls.
  int ForEachCall(const std::string& kind, const std::function<void(const ToolResult&)>& check) {
    for (int number = 1;; ++number) {
      folder_ = EmptyFolder("faults");
      for (const auto& [name, text] : old_) std::ofstream(folder_ + "/" + name) << text;
      std::map<std::string, std::string> faults = GetParam().faults;
      faults.insert({{"FAULT_KIND", kind}, {"FAULT_AT", absl::StrCat(number)}, {"FAULT_CALLS", kCalls}});
      const ToolResult result = RunFaultyTool("export", ExportArguments(), folder_, faults);
      if (!FaultCame()) return number - 1;
      SCOPED_TRACE(absl::StrCat("call ", number, ": ", result.err));
      ExpectNoFalseManifest();
      check(result);
    }
  }

  // The files of the folder, with partial files.
  Files Found() const {
    Files files = FilesIn(folder_);
    for (auto& [name, content] : files) {
      if (right_.count(name) > 0 && content == right_.at(name)) content = kNewFiles.at(name);
      if (content.size() > 100) content = absl::StrCat(content.size(), " bytes");
    }
    return files;
  }

  Files FoundWithoutPartials() const {
    Files files = Found();
    for (auto file = files.begin(); file != files.end();) {
      file = file->first[0] == '.' ? files.erase(file) : std::next(file);
    }
    return files;
  }

  void ExpectNoFalseManifest() const {
    const Files only_new = {{"m.pt", "new artifact"}};
    Files only_old = old_;
    only_old.erase("m.manifest.json");
    EXPECT_THAT(FoundWithoutPartials(), AnyOf(old_, kNewFiles, only_old, only_new));
  }

  // Expects the new files, or a message that says which files are there.
  void ExpectTold(const ToolResult& result) const {
    const Files files = FoundWithoutPartials();
    if (result.exit_status == 0) {
      EXPECT_EQ(files, kNewFiles);
    } else if (files != old_) {
      EXPECT_THAT(result.err, HasSubstr(absl::StrCat(
                                  "could not be undone: m.pt is ",
                                  files.at("m.pt") == "new artifact" ? "new" : "as it was", ", m.manifest.json is ",
                                  files.count("m.manifest.json") > 0 ? "new" : "missing", "\n  run it again")));
    }
  }

  Files old_, right_;
  std::string folder_;
};

TEST_P(ExportFaultsTest, AFailureChangesNothing) {
  const int calls = ForEachCall("fail", [&](const ToolResult& result) {
    ExpectTold(result);
    if (result.exit_status == 0) return;  // Some failures do no harm, such as that of removing a partial file.
    EXPECT_THAT(result.err, MatchesRegex("[A-Z_]+: m\\.(pt|manifest\\.json): (.|\n)*"));
    // Without hard links a replaced artifact cannot be restored.
    if (GetParam().faults.empty()) {
      EXPECT_EQ(Found(), old_);
    }
  });
  EXPECT_GE(calls, 10);
}

TEST_P(ExportFaultsTest, AKillLeavesNoFalseManifestAndTheNextRunCleansUp) {
  const int calls = ForEachCall("kill", [&](const ToolResult& result) {
    EXPECT_EQ(result.exit_status, 128 + 9);
    EXPECT_EQ(RunTool("export", ExportArguments(), folder_).exit_status, 0);
    EXPECT_EQ(Found(), kNewFiles);
  });
  EXPECT_GE(calls, 10);
}

TEST_P(ExportFaultsTest, ASignalLeavesOldOrNewAndNothingElse) {
  const int calls = ForEachCall("term", [&](const ToolResult& result) {
    EXPECT_EQ(result.exit_status, 128 + 15);
    EXPECT_THAT(Found(), AnyOf(old_, kNewFiles));
  });
  EXPECT_GE(calls, 10);
}

const Case kReplaced = {"Replaced", true, {}};
const Case kWithoutLinks = {"WithoutUnnamedFilesAndLinks", true, {{"NO_TMPFILE", "1"}, {"NO_LINK", "1"}}};

INSTANTIATE_TEST_SUITE_P(FileSystems, ExportFaultsTest,
                         testing::Values(Case{"New", false, {}}, kReplaced, kWithoutLinks),
                         [](const auto& info) { return info.param.name; });

class WorseFaultsTest : public ExportFaultsTest {};

TEST_P(WorseFaultsTest, WhenAllCallsFailTheMessageNamesTheFilesThatAreThere) {
  EXPECT_GE(ForEachCall("last", [&](const ToolResult& result) { ExpectTold(result); }), 10);
}

// Network file systems may report an error for a call that was made, because they repeat it.
TEST_P(WorseFaultsTest, AFalseErrorLeavesNoFalseManifest) {
  EXPECT_GE(ForEachCall("lie", [&](const ToolResult& result) { ExpectTold(result); }), 10);
}

INSTANTIATE_TEST_SUITE_P(FileSystems, WorseFaultsTest, testing::Values(kReplaced, kWithoutLinks),
                         [](const auto& info) { return info.param.name; });

class PackageFaultsTest : public testing::TestWithParam<std::string> {};

TEST_P(PackageFaultsTest, LeaveAllOrNothingAndTheNextRunCleansUp) {
  std::vector<std::string> arguments = Arguments("out");
  arguments.push_back("--target=nuke");
  for (int number = 1;; number += 9) {
    const std::string folder = EmptyFolder("package");
    const ToolResult result =
        RunFaultyTool("package", arguments, folder,
                      {{"FAULT_KIND", GetParam()}, {"FAULT_AT", absl::StrCat(number)}, {"FAULT_CALLS", kCalls}});
    if (!FaultCame()) break;
    SCOPED_TRACE(absl::StrCat("call ", number, ": ", result.err));
    if (GetParam() == "fail") {
      EXPECT_EQ(FileNames(folder).size(), result.exit_status == 0 ? 1 : 0);
    }
    if (fs::exists(folder + "/out")) {
      EXPECT_THAT(FileNames(folder + "/out"), testing::SizeIs(10));
      fs::remove_all(folder + "/out");
    }
    EXPECT_EQ(RunTool("package", arguments, folder).exit_status, 0);
    EXPECT_THAT(FileNames(folder), ElementsAre("out"));
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, PackageFaultsTest, testing::Values("fail", "kill"),
                         [](const auto& info) { return info.param; });

TEST(StickyFolderTest, AnotherUsersFileIsRefusedBeforeAnyWork) {
  const std::string folder = EmptyFolder("sticky");
  std::ofstream(folder + "/m.manifest.json") << "another's";
  fs::permissions(folder, fs::perms::sticky_bit, fs::perm_options::add);
  const ToolResult result = RunFaultyTool("export", Arguments("m.pt"), folder, {{"FAKE_USER", "12345"}});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, StartsWith("PERMISSION_DENIED: m.manifest.json: exists and belongs to another user"));
  EXPECT_THAT(FilesIn(folder), ElementsAre(Pair("m.manifest.json", "another's")));
  EXPECT_EQ(RunFaultyTool("export", Arguments("n.pt"), folder, {{"FAKE_USER", "12345"}}).exit_status, 0);
}

}  // namespace
}  // namespace modelport
