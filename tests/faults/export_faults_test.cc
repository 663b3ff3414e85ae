// Each system call with which export and package write files fails once, and is the last of the process once; so are
// the calls that map files. Afterwards the old files or the new files are there, and no manifest lies beside an
// artifact that it does not describe. commit_faults_test tries more errors and file systems, without a model. A package
// makes the same calls for each of its files, so some are left out; --test_env=EVERY_CALL=1 leaves out none.
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/faults/faults.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Pair;
using testing::StartsWith;

struct Fault {
  std::string name;
  std::string calls;
  std::string kind;   // As FAULT_KIND of tests/faults/fault_shim.cc.
  int error = 0;      // 0 if the process is killed.
  std::string words;  // Of the error, in the message.

  friend void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }
};

// What a folder has before an export: the files of an earlier one. A package is always new.
Files Before(const std::string& tool) {
  if (tool == "package") return {};
  return {{"m.manifest.json", "old manifest"}, {"m.pt", "old artifact"}};
}

std::string FolderBefore(const std::string& tool) {
  const std::string folder = EmptyFolder(tool);
  for (const auto& [name, text] : Before(tool)) std::ofstream(folder + "/" + name) << text;
  return folder;
}

// The distance from one faulty call to the next. A package makes 7 calls for each of its 10 files, so that 5 meets each
// of the 7, for one file or another.
int Step(const std::string& tool) { return tool == "package" && std::getenv("EVERY_CALL") == nullptr ? 5 : 1; }

class ExportFaultsTest : public testing::TestWithParam<std::tuple<std::string, Fault>> {
 protected:
  // The files of a run without faults, which is made once for each tool.
  static const Files& Right(const std::string& tool) {
    static auto* const made = new std::map<std::string, Files>();
    const auto [right, is_new] = made->try_emplace(tool);
    if (is_new) {
      const std::string folder = FolderBefore(tool);
      EXPECT_EQ(RunWarmTool(tool, ScaleArguments(tool), folder).exit_status, 0);
      right->second = FilesIn(folder);
    }
    return right->second;
  }

  void ExpectWholeFiles() const {
    Files only_old = Before(tool_), only_new = right_;
    only_old.erase("m.manifest.json");
    only_new.erase("m.manifest.json");
    EXPECT_THAT(WithoutPartials(FilesIn(folder_)), AnyOf(Before(tool_), right_, only_old, only_new));
  }

  void ExpectEndOf(const ToolResult& result) const {
    if (fault_.error == 0) {
      EXPECT_EQ(result.exit_status, 128 + 9);
    } else if (result.exit_status == 0) {  // A partial file stays.
      EXPECT_EQ(WithoutPartials(FilesIn(folder_)), right_);
    } else {
      EXPECT_EQ(result.exit_status, 1);
      EXPECT_THAT(result.err, MatchesRegex("[A-Z_]+: (m|out|/)[^:]*: (.|\n)*"));
      EXPECT_THAT(result.err, HasSubstr(fault_.words));
      EXPECT_EQ(FilesIn(folder_), Before(tool_));
    }
  }

  // Runs what cleans up as the tool does, but without a model.
  void ExpectThatTheNextRunCleansUp() const {
    const bool is_complete = fs::exists(folder_ + "/out");
    const ToolResult next =
        is_complete ? ToolResult()
                    : RunFaulty("tests/faults/commit", {tool_ == "package" ? "folder" : "pair", "new"}, folder_, {});
    EXPECT_EQ(next.exit_status, 0) << next.err;
    for (const std::string& name : FileNames(folder_)) EXPECT_NE(name[0], '.') << name;
  }

  const std::string tool_ = std::get<0>(GetParam());
  const Fault fault_ = std::get<1>(GetParam());
  const Files& right_ = Right(tool_);
  std::string folder_;
};

TEST_P(ExportFaultsTest, LeavesOldOrNewAndTheNextRunCleansUp) {
  int faults = 0;
  for (int number = 1;; number += Step(tool_)) {
    folder_ = FolderBefore(tool_);
    const ToolResult result = RunFaulty("tools/" + tool_ + "/" + tool_, ScaleArguments(tool_), folder_,
                                        {{"FAULT_AT", absl::StrCat(number)},
                                         {"FAULT_CALLS", fault_.calls},
                                         {"FAULT_KIND", fault_.kind},
                                         {"FAULT_ERROR", absl::StrCat(fault_.error)}});
    if (!FaultCame()) {
      EXPECT_EQ(result.exit_status, 0) << result.err;
      EXPECT_EQ(FilesIn(folder_), right_);
      break;
    }
    ++faults;
    SCOPED_TRACE(absl::StrCat(fault_.calls, " ", number, ": ", result.err));
    ExpectWholeFiles();
    ExpectEndOf(result);
    ExpectThatTheNextRunCleansUp();
  }
  EXPECT_GE(faults, 1);
}

INSTANTIATE_TEST_SUITE_P(
    Faults, ExportFaultsTest,
    testing::Combine(testing::Values("export", "package"),
                     testing::Values(Fault{"NamingFails", kNameCalls, "fail", EIO, "Input/output error"},
                                     Fault{"KilledWhenNaming", kNameCalls, "kill", 0, ""},
                                     Fault{"FullDisk", "write", "fail", ENOSPC, "the disk is full"},
                                     Fault{"KilledWriter", "write", "kill", 0, ""},
                                     Fault{"NoMap", "mmap", "fail", ENOMEM, "Cannot allocate memory"},
                                     Fault{"KilledAtAMap", "mmap", "kill", 0, ""})),
    [](const auto& info) { return std::get<0>(info.param) + std::get<1>(info.param).name; });

// So that what commit_faults_test finds is true of export.
TEST(CallsTest, OfAnExportAreThoseOfCommit) {
  const auto calls = [](const std::string& program, const std::vector<std::string>& arguments) {
    const std::string folder = FolderBefore("export"), log = EmptyFolder("log") + "/calls";
    EXPECT_EQ(RunFaulty(program, arguments, folder, {{"FAULT_CALLS", kNameCalls}, {"FAULT_LOG", log}}).exit_status, 0);
    return ReadFile(log);
  };
  const std::string of_export = calls("tools/export/export", ScaleArguments("export"));
  EXPECT_THAT(of_export, HasSubstr("rename\nlink\nrename\nrename\nfsync\n"));
  EXPECT_EQ(of_export, calls("tests/faults/commit", {"pair", "new"}));
}

TEST(StickyFolderTest, AnotherUsersFileIsRefusedBeforeAnyWork) {
  const std::string folder = EmptyFolder("sticky");
  std::ofstream(folder + "/m.manifest.json") << "another's";
  fs::permissions(folder, fs::perms::sticky_bit, fs::perm_options::add);
  std::vector<std::string> arguments = ScaleArguments("export");
  const ToolResult result = RunFaulty("tools/export/export", arguments, folder, {{"FAKE_USER", "12345"}});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, StartsWith("PERMISSION_DENIED: m.manifest.json: exists and belongs to another user"));
  EXPECT_THAT(FilesIn(folder), ElementsAre(Pair("m.manifest.json", "another's")));
  arguments.push_back("--out=n.pt");
  EXPECT_EQ(RunFaulty("tools/export/export", arguments, folder, {{"FAKE_USER", "12345"}}).exit_status, 0);
}

}  // namespace
}  // namespace modelport
