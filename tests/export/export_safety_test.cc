// An export that ends early leaves the files that were there as they were, and adds none.
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/io/testing/obey_permissions.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const std::vector<std::string>& Arguments() {
  static const auto* arguments = new std::vector<std::string>{"--model=" + DepthModel(), "--weights=seeded",
                                                              "--out=m.pt", "--plugin_path=" + DataPath("models")};
  return *arguments;
}

// A folder with the artifact of an earlier export.
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

// A folder without write permission, and one without read permission, which locking and syncing it need.
TEST(ExportSafetyTest, AFolderOfWrongPermissionsIsRefused) {
  for (const mode_t mode : {0555, 0333}) {
    const std::string folder = FolderWithOldArtifact();
    chmod(folder.c_str(), mode);
    const ToolResult result = RunTool("export", Arguments(), folder, ObeyPermissions);
    chmod(folder.c_str(), 0755);
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(result.err, StartsWith("PERMISSION_DENIED: m.pt: cannot "));
    ExpectUntouched(folder);
  }
}

TEST(ExportSafetyTest, AWriteProtectedFileIsRefused) {
  for (const char* name : {"m.pt", "m.manifest.json"}) {
    const std::string folder = FolderWithOldArtifact();
    chmod((folder + "/" + name).c_str(), 0444);
    const ToolResult result = RunTool("export", Arguments(), folder, ObeyPermissions);
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(result.err, StartsWith(absl::StrCat("PERMISSION_DENIED: ", name, ": exists and is write-protected")));
    ExpectUntouched(folder);
  }
}

// Expects that an export from the file `checkpoint` of `folder` to `out` is refused and changes nothing.
void ExpectCheckpointStays(const std::string& folder, const std::string& checkpoint, const std::string& out) {
  const std::string before = ReadFile(folder + "/" + checkpoint);
  const std::vector<std::string> names = FileNames(folder);
  const ToolResult result = RunTool(
      "export",
      {"--model=" + DepthModel(), "--checkpoint=" + checkpoint, "--out=" + out, "--plugin_path=" + DataPath("models")},
      folder);
  EXPECT_EQ(result.exit_status, 1) << checkpoint << " to " << out;
  EXPECT_THAT(result.err, AllOf(StartsWith("INVALID_ARGUMENT: "), HasSubstr("is the input")));
  EXPECT_EQ(ReadFile(folder + "/" + checkpoint), before);
  EXPECT_EQ(FileNames(folder), names);
}

TEST(ExportSafetyTest, AnArtifactThatIsTheCheckpointIsRefused) {
  const std::string folder = EmptyFolder("same");
  fs::copy(DataPath("tests/checkpoints/" + DepthModel() + ".safetensors"), folder + "/tiny.pth");
  fs::create_symlink("tiny.pth", folder + "/link.pt");
  for (const char* out : {"tiny.pth", "./tiny.pth", "link.pt"}) ExpectCheckpointStays(folder, "tiny.pth", out);
}

TEST(ExportSafetyTest, AManifestThatIsTheCheckpointIsRefused) {
  const std::string folder = EmptyFolder("same_manifest");
  fs::copy(DataPath("tests/checkpoints/" + DepthModel() + ".safetensors"), folder + "/x.manifest.json");
  fs::create_directory(folder + "/sub");
  fs::create_symlink("../x.manifest.json", folder + "/sub/link.pth");
  std::ofstream(folder + "/x.pt") << "old artifact";
  fs::create_symlink("x.pt", folder + "/y.pt");
  ExpectCheckpointStays(folder, "x.manifest.json", "x.pt");
  ExpectCheckpointStays(folder, "sub/link.pth", "./x.pt");
  ExpectCheckpointStays(folder, "x.manifest.json", "y.pt");
}

TEST(ExportSafetyTest, AnOutputThatIsAPluginsFileIsRefused) {
  const std::string folder = EmptyFolder("plugins");
  fs::copy(DataPath("models"), folder + "/models", fs::copy_options::recursive);
  const std::string plugin = folder + "/models/" + ExampleFamily("depth") + "/testdata/plugin.yaml",
                    before = ReadFile(plugin);
  fs::create_symlink(plugin, folder + "/link.pt");
  for (const std::string& out :
       std::vector<std::string>{"models/" + ExampleFamily("depth") + "/testdata/plugin.yaml", "link.pt"}) {
    const ToolResult result = RunTool(
        "export", {"--model=" + DepthModel(), "--weights=seeded", absl::StrCat("--out=", out), "--plugin_path=models"},
        folder);
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(result.err, AllOf(StartsWith("INVALID_ARGUMENT: "), HasSubstr("is the input")));
    EXPECT_EQ(ReadFile(plugin), before);
  }
}

TEST(ExportSafetyTest, PublishedWeightsThatAreNotThereAreAnError) {
  const std::string folder = EmptyFolder("published");
  const auto no_cache = [&] { setenv("HF_HUB_CACHE", (folder + "/hub").c_str(), 1); };
  const ToolResult result =
      RunTool("export", {"--model=" + ExampleModel("published depth"), "--weights=published"}, folder, no_cache);
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, AllOf(StartsWith("NOT_FOUND: --weights=published: no checkpoint of " +
                                           ExampleModel("published depth") + "\n"),
                                HasSubstr("\n  no ./depth_anything_v2_vits.pth\n"),
                                HasSubstr("/hub/models--depth-anything--Depth-Anything-V2-Small/snapshots/*/"),
                                HasSubstr("\n  get https://"), HasSubstr("--checkpoint=depth_anything_v2_vits.pth")));
  EXPECT_THAT(FileNames(folder), IsEmpty());
}

TEST(ExportSafetyTest, SeededWeightsCannotBeOverlooked) {
  const std::string folder = EmptyFolder("seeded");
  const ToolResult result = RunTool("export", Arguments(), folder);
  EXPECT_THAT(result.out, HasSubstr("\nsource      SEEDED weights: predicts nothing (seeded:v1:0)\n"));
  EXPECT_THAT(ReadFile(folder + "/m.manifest.json"),
              AllOf(HasSubstr("\n \"warning\": \"SEEDED weights: predicts nothing\",\n"),
                    HasSubstr("\n  \"seeded\": \"seeded:v1:0\",\n")));
}

TEST(ExportSafetyTest, AnOutputThatIsAFolderOrInNoFolderIsRefused) {
  const std::string folder = EmptyFolder("places");
  fs::create_directory(folder + "/m.pt");
  EXPECT_EQ(RunTool("export", Arguments(), folder).exit_status, 1);
  EXPECT_THAT(FileNames(folder), ElementsAre("m.pt"));
  const ToolResult result = RunTool(
      "export",
      {"--model=" + DepthModel(), "--weights=seeded", "--out=missing/m.pt", "--plugin_path=" + DataPath("models")},
      folder);
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("missing"));
}

TEST(ExportSafetyTest, AnOutputThatEndsAsAnotherFormatIsRefused) {
  const struct {
    std::string target, out, message;
  } kCases[] = {
      {"libtorch", "m.onnx",
       "m.onnx: --target=libtorch makes a file that ends in .pt: name it so, or pass --target=onnx"},
      {"onnx", "m.pt", "m.pt: --target=onnx makes a file that ends in .onnx: name it so, or pass --target=libtorch"},
  };
  for (const auto& test : kCases) {
    const std::string folder = FolderWithOldArtifact();
    std::vector<std::string> arguments = Arguments();
    arguments.insert(arguments.end(), {"--target=" + test.target, "--out=" + test.out});
    const ToolResult result = RunTool("export", arguments, folder);
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(result.err, HasSubstr(test.message));
    ExpectUntouched(folder);
  }
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
