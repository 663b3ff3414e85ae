// Exports and packages that are killed or interrupted at random moments, and several at once to one name. Each run
// takes other moments; --runs_per_test=20 kills 200 exports and 200 packages.
#include <signal.h>

#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/digest/sha256.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/faults/faults.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::Pair;

constexpr int kMoments = 10;

const Files kOldPair = {{"m.manifest.json", "old manifest"}, {"m.pt", "old artifact"}};

std::string FolderWithOldPair() {
  const std::string folder = EmptyFolder("kills");
  for (const auto& [name, text] : kOldPair) std::ofstream(folder + "/" + name) << text;
  return folder;
}

// A moment within `time`.
absl::Duration RandomMoment(absl::Duration time) {
  static std::mt19937 random(std::random_device{}());
  return time * std::uniform_real_distribution<>(0, 1)(random);
}

// Runs a tool on the small model, which must succeed. Returns how long it takes on this machine.
absl::Duration TimeOf(const std::string& tool, const std::string& folder) {
  const absl::Time start = absl::Now();
  const ToolResult result = RunTool(tool, ScaleArguments(tool), folder);
  EXPECT_EQ(result.exit_status, 0) << result.err;
  return absl::Now() - start;
}

// Runs it and sends it a signal at a moment within `time`.
void Interrupt(const std::string& tool, const std::string& folder, absl::Duration time, int signal_number) {
  const absl::Duration moment = RandomMoment(time);
  const pid_t pid = StartTool(tool, ScaleArguments(tool), folder);
  absl::SleepFor(moment);
  kill(pid, signal_number);
  FinishTool(pid);
}

// Expects an artifact with the manifest that describes it, or without any.
void ExpectNoFalseManifest(const std::string& folder) {
  Files files = FilesIn(folder);
  const std::string manifest = files["m.manifest.json"], artifact = files["m.pt"];
  if (manifest == "old manifest") {
    EXPECT_EQ(artifact, "old artifact");
  } else if (!manifest.empty()) {
    EXPECT_THAT(manifest, HasSubstr(Sha256Of(artifact)));
  }
}

TEST(KillsTest, AKilledExportLeavesNoFalseManifestAndTheNextOneCleansUp) {
  const std::string folder = FolderWithOldPair();
  const absl::Duration time = TimeOf("export", folder);
  const Files right = FilesIn(folder);
  for (int i = 0; i < kMoments; ++i) {
    for (const auto& [name, text] : kOldPair) std::ofstream(folder + "/" + name) << text;
    Interrupt("export", folder, time, SIGKILL);
    ExpectNoFalseManifest(folder);
  }
  TimeOf("export", folder);
  EXPECT_EQ(FilesIn(folder), right);
}

TEST(KillsTest, AKilledPackageIsNotThereAndTheNextOneCleansUp) {
  const std::string right_folder = EmptyFolder("right"), folder = EmptyFolder("package");
  const absl::Duration time = TimeOf("package", right_folder);
  const Files right = FilesIn(right_folder);
  for (int i = 0; i < kMoments; ++i) {
    Interrupt("package", folder, time, SIGKILL);
    EXPECT_THAT(WithoutPartials(FilesIn(folder)), AnyOf(IsEmpty(), right));
    if (!WithoutPartials(FilesIn(folder)).empty()) EmptyFolder("package");
  }
  TimeOf("package", folder);
  EXPECT_EQ(FilesIn(folder), right);
  EXPECT_THAT(FileNames(folder), ElementsAre("out"));
}

TEST(KillsTest, ASignalLeavesOldOrNewAndNothingElse) {
  const absl::Duration time = TimeOf("export", FolderWithOldPair());
  for (int i = 0; i < kMoments; ++i) {
    const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    const std::string folder = FolderWithOldPair(), package = EmptyFolder("package");
    Interrupt("export", folder, time, signals[i % 3]);
    EXPECT_THAT(FileNames(folder), ElementsAre("m.manifest.json", "m.pt"));
    ExpectNoFalseManifest(folder);
    Interrupt("package", package, time, signals[i % 3]);
    EXPECT_THAT(FileNames(package), AnyOf(IsEmpty(), ElementsAre("out")));
  }
}

class ConcurrentTest : public testing::TestWithParam<int> {};

TEST_P(ConcurrentTest, ExportsToOneNameLeaveTheFilesOfOne) {
  const std::string folder = FolderWithOldPair();
  std::vector<pid_t> pids;
  for (int i = 0; i < GetParam(); ++i) {
    std::vector<std::string> arguments = ScaleArguments("export", absl::StrCat("--weights=seeded:", i));
    pids.push_back(StartTool("export", arguments, folder));
  }
  for (const pid_t pid : pids) EXPECT_EQ(FinishTool(pid).exit_status, 0);
  EXPECT_THAT(FileNames(folder), ElementsAre("m.manifest.json", "m.pt"));
  ExpectNoFalseManifest(folder);
}

// The commits alone, which collide more often than whole exports. A commit of "3" writes "3 artifact" and "3 manifest".
TEST_P(ConcurrentTest, CommitsOfWhichSomeAreKilledLeaveNoFalseManifest) {
  const std::string folder = FolderWithOldPair();
  for (int round = 0; round < 50; ++round) {
    std::vector<pid_t> pids;
    for (int i = 0; i < GetParam(); ++i) {
      pids.push_back(StartProgram("tests/faults/commit", {"pair", absl::StrCat(i)}, folder));
    }
    absl::SleepFor(RandomMoment(absl::Milliseconds(10) * GetParam()));
    for (size_t i = 0; i < pids.size(); i += 2) kill(pids[i], SIGKILL);
    for (const pid_t pid : pids) FinishTool(pid);
    Files files = FilesIn(folder);
    const std::string manifest = files["m.manifest.json"], artifact = files["m.pt"];
    if (!manifest.empty()) {
      EXPECT_EQ(absl::StripSuffix(manifest, " manifest"), absl::StripSuffix(artifact, " artifact"));
    }
  }
  EXPECT_EQ(FinishTool(StartProgram("tests/faults/commit", {"pair", "new"}, folder)).exit_status, 0);
  EXPECT_THAT(FilesIn(folder), ElementsAre(Pair("m.manifest.json", "new manifest"), Pair("m.pt", "new artifact")));
}

TEST_P(ConcurrentTest, FoldersOfOneNameLeaveOneAndTellTheOthers) {
  for (int round = 0; round < 20; ++round) {
    const std::string folder = EmptyFolder("folders");
    std::vector<pid_t> pids;
    for (int i = 0; i < GetParam(); ++i) {
      pids.push_back(StartProgram("tests/faults/commit", {"folder", absl::StrCat(i)}, folder));
    }
    int done = 0;
    for (const pid_t pid : pids) done += FinishTool(pid).exit_status == 0 ? 1 : 0;
    EXPECT_EQ(done, 1);
    EXPECT_THAT(FileNames(folder), ElementsAre("out"));
    EXPECT_THAT(FilesIn(folder), ElementsAre(Key("out/m.pt")));
  }
}

INSTANTIATE_TEST_SUITE_P(Numbers, ConcurrentTest, testing::Values(2, 8));

}  // namespace
}  // namespace modelport
