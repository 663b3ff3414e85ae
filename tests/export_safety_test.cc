// Whatever ends an export early, what was there stays and nothing else appears.
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/tool_process.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const std::vector<std::string>& Arguments() {
  static const auto* arguments = new std::vector<std::string>{"--model=tiny_dav2", "--weights=seeded", "--out=m.pt",
                                                              "--plugin_path=" + DataPath("models")};
  return *arguments;
}

// A folder that holds an artifact of before.
std::string FolderWithOldArtifact() {
  const std::string folder = EmptyFolder("safety");
  std::ofstream(folder + "/m.pt") << "old artifact";
  std::ofstream(folder + "/m.manifest.json") << "old manifest";
  return folder;
}

void ExpectUntouched(const std::string& folder) {
  EXPECT_THAT(FileNames(folder), ElementsAre("m.manifest.json", "m.pt"));
  EXPECT_EQ(ReadFile(folder + "/m.pt"), "old artifact");
  EXPECT_EQ(ReadFile(folder + "/m.manifest.json"), "old manifest");
}

class InterruptedExportTest : public testing::TestWithParam<int> {};

TEST_P(InterruptedExportTest, LeavesOldOrNewAndNothingElse) {
  for (int milliseconds = 10; milliseconds < 1500; milliseconds = milliseconds * 5 / 4 + 1) {
    const std::string folder = FolderWithOldArtifact();
    const pid_t pid = StartTool("export", Arguments(), folder);
    usleep(milliseconds * 1000);
    kill(pid, GetParam());
    FinishTool(pid);
    EXPECT_THAT(FileNames(folder), ElementsAre("m.manifest.json", "m.pt"));
    if (ReadFile(folder + "/m.manifest.json") == "old manifest") continue;
    const ToolResult verified = RunTool("verify", {"--artifact=m.pt", "--plugin_path=" + DataPath("models")}, folder);
    EXPECT_EQ(verified.exit_status, 0) << verified.err;
  }
}

INSTANTIATE_TEST_SUITE_P(Signals, InterruptedExportTest, testing::Values(SIGINT, SIGTERM, SIGKILL));

TEST(ExportSafetyTest, AFullDiskIsAnErrorThatNamesTheFile) {
  for (const rlim_t limit : {0, 1000, 100000, 400000}) {
    const std::string folder = FolderWithOldArtifact();
    const ToolResult result = RunTool("export", Arguments(), folder, [limit] {
      const rlimit file_size = {limit, limit};
      setrlimit(RLIMIT_FSIZE, &file_size);
    });
    EXPECT_EQ(result.exit_status, 1);
    ExpectUntouched(folder);
  }
}

TEST(ExportSafetyTest, AReadOnlyFolderIsRefused) {
  const std::string folder = FolderWithOldArtifact();
  chmod(folder.c_str(), 0555);
  if (access(folder.c_str(), W_OK) == 0) GTEST_SKIP() << "this user may write everywhere";
  const ToolResult result = RunTool("export", Arguments(), folder);
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("m.pt"));
  ExpectUntouched(folder);
  chmod(folder.c_str(), 0755);
}

TEST(ExportSafetyTest, AnOutputThatIsTheCheckpointIsRefused) {
  const std::string folder = EmptyFolder("same");
  fs::copy(DataPath("tests/checkpoints/tiny_dav2.pth"), folder + "/tiny.pth");
  fs::create_symlink("tiny.pth", folder + "/link.pt");
  const std::string before = ReadFile(folder + "/tiny.pth");
  for (const char* out : {"tiny.pth", "./tiny.pth", "link.pt"}) {
    const ToolResult result = RunTool("export",
                                      {"--model=tiny_dav2", "--checkpoint=tiny.pth", std::string("--out=") + out,
                                       "--plugin_path=" + DataPath("models")},
                                      folder);
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(result.err, StartsWith("INVALID_ARGUMENT: "));
    EXPECT_EQ(ReadFile(folder + "/tiny.pth"), before);
    EXPECT_THAT(FileNames(folder), ElementsAre("link.pt", "tiny.pth"));
  }
}

TEST(ExportSafetyTest, AnOutputThatIsAFolderOrInNoFolderIsRefused) {
  const std::string folder = EmptyFolder("places");
  fs::create_directory(folder + "/m.pt");
  EXPECT_EQ(RunTool("export", Arguments(), folder).exit_status, 1);
  EXPECT_THAT(FileNames(folder), ElementsAre("m.pt"));
  const ToolResult result = RunTool(
      "export", {"--model=tiny_dav2", "--weights=seeded", "--out=missing/m.pt", "--plugin_path=" + DataPath("models")},
      folder);
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("missing"));
}

TEST(ExportSafetyTest, ExportsOfEqualInputsAreEqualBytes) {
  std::vector<std::string> artifacts, manifests;
  for (int i = 0; i < 2; ++i) {
    const std::string folder = EmptyFolder("repeat" + std::to_string(i));
    ASSERT_EQ(RunTool("export", Arguments(), folder).exit_status, 0);
    artifacts.push_back(ReadFile(folder + "/m.pt"));
    manifests.push_back(ReadFile(folder + "/m.manifest.json"));
  }
  EXPECT_EQ(artifacts[0], artifacts[1]);
  EXPECT_EQ(manifests[0], manifests[1]);
  EXPECT_THAT(manifests[0], testing::Not(HasSubstr(std::getenv("TEST_TMPDIR"))));
}

}  // namespace
}  // namespace modelport
