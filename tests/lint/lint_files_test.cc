// The lint of files: of those that Python made, of artifacts, and of what is no TorchScript file.
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/checkpoint/testing/table_files.h"
#include "common/checkpoint/testing/zip_writer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

ToolResult Lint(const std::vector<std::string>& arguments) { return RunTool("lint", arguments, testing::TempDir()); }

// Exports a tiny model with seeded weights, and returns the file.
std::string Export(const std::string& model, const std::string& target, const std::string& wrapper = "") {
  const std::string path = absl::StrCat(testing::TempDir(), "/", model, ".pt");
  const ToolResult result =
      RunTool("export",
              {absl::StrCat("--model=", model), absl::StrCat("--target=", target), absl::StrCat("--wrapper=", wrapper),
               absl::StrCat("--out=", path), absl::StrCat("--plugin_path=", DataPath("models")), "--weights=seeded",
               "--noverify"},
              testing::TempDir());
  EXPECT_EQ(result.exit_status, 0) << result.err;
  return path;
}

TEST(LintFilesTest, ReportsOnAScriptedNetworkOfPython) {
  const std::string path = DataPath("tests/lint/scripted.pt");
  const std::vector<std::vector<std::string>> flags = {
      {path, "--target=nuke", "--runtime=1.12"}, {path, "--target=nuke", "--runtime=1.12.1"}, {path, "--nuke=14"}};
  for (const std::vector<std::string>& same : flags) {
    const ToolResult result = Lint(same);
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_EQ(result.out, ReadFile(DataPath("tests/lint/scripted.txt")));
    EXPECT_EQ(result.err, absl::StrCat("FAILED_PRECONDITION: ", path, ": 7 findings for nuke\n"));
  }
}

TEST(LintFilesTest, SaysThatLibTorch16CannotReadNoneType) {
  const ToolResult result = Lint({DataPath("tests/lint/scripted.pt"), "--runtime=1.6"});
  EXPECT_THAT(result.out, HasSubstr("LibTorch 1.6 cannot read the type name NoneType, which the code has"));
}

TEST(LintFilesTest, ReportsOnATracedNetworkOfPython) {
  const std::string path = DataPath("tests/lint/traced.pt");
  const ToolResult result = Lint({"--target=nuke", path});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.out, ReadFile(DataPath("tests/lint/traced.txt")));
  EXPECT_EQ(result.err, absl::StrCat("FAILED_PRECONDITION: ", path, ": 5 findings for nuke\n"));
}

TEST(LintFilesTest, ArtifactsForLibTorchAreFineThereAndNotInNuke) {
  const std::string path = Export(ExampleModel("views"), "libtorch");
  const ToolResult result = Lint({path});
  EXPECT_EQ(result.exit_status, 0) << result.out;
  const ToolResult nuke = Lint({path, "--target=nuke"});
  EXPECT_EQ(nuke.exit_status, 1);
  EXPECT_THAT(nuke.out, HasSubstr("forward returns Dict[str, Tensor], wants one Tensor"));
  EXPECT_THAT(nuke.out, HasSubstr("forward takes x: Tensor, extrinsics: Optional[Tensor]"));
}

TEST(LintFilesTest, SaysWhatIsNoTorchScriptFile) {
  const struct {
    std::string file, error;
  } kCases[] = {
      {"fp16.safetensors", "not a TorchScript file: a safetensors file, which has weights and no code"},
      {"fp16.pth", "not a TorchScript file: a checkpoint of torch.save, which has weights and no code"},
      {"legacy.pth", "not a TorchScript file: a pickle or an old checkpoint of torch.save"},
      {"html_page.pth", "not a TorchScript file: a web page"},
      {"empty_file.pth", "DATA_LOSS: "},
  };
  for (const auto& test : kCases) {
    const std::string path = TableFile(test.file);
    const ToolResult result = Lint({path});
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, testing::AllOf(HasSubstr(absl::StrCat(": ", path, ": ")), HasSubstr(test.error)));
  }
}

TEST(LintFilesTest, NamesAProgramOfTorchExport) {
  const std::string path = testing::TempDir() + "/net.pt2";
  std::ofstream(path, std::ios::binary) << ZipArchive({{"net/archive_format", "pt2"}, {"net/data/weights/w", ""}});
  const std::string name =
      absl::StrCat(path, ": not a TorchScript file: a program of torch.export\n  save its weights");
  EXPECT_THAT(Lint({path}).err, HasSubstr(name));
  EXPECT_THAT(RunTool("inspect", {absl::StrCat("--artifact=", path)}, testing::TempDir()).err, HasSubstr(name));
}

TEST(LintFilesTest, SaysWhatIsMissing) {
  const ToolResult result = Lint({"missing.pt"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, StartsWith("NOT_FOUND: missing.pt: "));
}

TEST(LintFilesTest, RefusesADamagedFile) {
  const std::string path = testing::TempDir() + "/damaged.pt";
  const std::string whole = ReadFile(DataPath("tests/lint/traced.pt"));
  std::ofstream(path, std::ios::binary) << whole.substr(0, whole.size() / 2);
  const ToolResult result = Lint({path});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, StartsWith(absl::StrCat("DATA_LOSS: ", path, ": ")));
}

TEST(LintFilesTest, SeveralFilesAreLintedWhateverIsFoundInOne) {
  const std::string good = DataPath("tests/lint/traced.pt"), missing = testing::TempDir() + "/missing.pt";
  const ToolResult result = Lint({missing, good});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.out, HasSubstr(absl::StrCat("\n", good, "\n")));
  EXPECT_THAT(result.out, HasSubstr("runs in LibTorch"));
  EXPECT_THAT(result.err, StartsWith("NOT_FOUND: "));
  EXPECT_THAT(result.err, HasSubstr(absl::StrCat(" of 2 files:\n  ", missing, ": no such file")));
  EXPECT_THAT(result.out, StartsWith(absl::StrCat(missing, "\nnot read: ", missing, ": no such file")));
}

// What is wrong with each file is told, and the worst of it is the code.
TEST(LintFilesTest, ADamagedFileAmongSeveralIsTold) {
  const std::string good = DataPath("tests/lint/traced.pt"), damaged = testing::TempDir() + "/cut.pt";
  const std::string whole = ReadFile(good);
  std::ofstream(damaged, std::ios::binary) << whole.substr(0, whole.size() / 2);
  const ToolResult result = Lint({good, damaged, "--json"});
  EXPECT_EQ(result.exit_status, 3);
  const auto json = nlohmann::json::parse(result.out);
  ASSERT_EQ(json["files"].size(), 2);
  EXPECT_EQ(json["files"][1]["error"]["code"], "DATA_LOSS");
  EXPECT_EQ(json["error"]["code"], "DATA_LOSS");
}

TEST(LintFilesTest, RefusesUnknownTargetsAndRuntimes) {
  const std::string path = DataPath("tests/lint/traced.pt");
  EXPECT_THAT(Lint({path, "--target=nuk"}).err, StartsWith("INVALID_ARGUMENT: --target=nuk: unknown target"));
  EXPECT_THAT(Lint({path, "--nuke=12"}).err, StartsWith("INVALID_ARGUMENT: --nuke=12: unknown Nuke"));
  EXPECT_THAT(Lint({path, "--nuke=14", "--runtime=2.1"}).err,
              StartsWith("INVALID_ARGUMENT: --nuke=14: its LibTorch is 1.12, and --runtime=2.1 is given"));
  EXPECT_THAT(Lint({path, "--runtime=1.7"}).err, StartsWith("INVALID_ARGUMENT: --runtime=1.7: unknown runtime"));
  EXPECT_THAT(Lint({path, "--target=onnx"}).err,
              StartsWith("INVALID_ARGUMENT: --target=onnx: artifacts for it are ONNX files"));
  EXPECT_THAT(Lint({}).err, StartsWith("INVALID_ARGUMENT: the file is missing"));
}

}  // namespace
}  // namespace modelport
