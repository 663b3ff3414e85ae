// What inspect says of an artifact, which it only reads.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/digest/sha256.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class InspectArtifactTest : public testing::Test {
 protected:
  // Exports a small model to m.pt.
  void Export(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"--model=" + DepthModel(), "--out=m.pt",
                                          "--plugin_path=" + DataPath("models")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ToolResult result = RunTool("export", arguments, folder_);
    ASSERT_EQ(result.exit_status, 0) << result.err;
  }

  ToolResult Inspect(const std::string& path = "m.pt") const {
    return RunTool("inspect", {"--artifact=" + path}, folder_);
  }

  const std::string folder_ = EmptyFolder("inspect");
};

TEST_F(InspectArtifactTest, DescribesAnArtifactForNuke) {
  Export({"--nuke=14", "--weights=seeded"});
  const ToolResult result = Inspect();
  ASSERT_EQ(result.exit_status, 0) << result.err;
  for (const std::string& line :
       {std::string("manifest  in it and beside it\n"),
        absl::StrCat("sha256    ", Sha256Of(ReadFile(folder_ + "/m.pt"))),
        std::string("model     " + DepthModel() + ", " + DepthModel() + "\n"),
        std::string("weights   seeded:v1:0, SEEDED weights: predicts nothing\n"), std::string("target    nuke\n"),
        std::string("made for  LibTorch 1.12\n"), std::string("loads in  Nuke 14.0 to 15.0, 15.1 to 16.0, 17.0\n"),
        std::string("gives     depth\n"), std::string("channels  rgba.red, rgba.green, rgba.blue to depth.Z\n"),
        std::string("method    forward(x) -> Tensor\n"),
        std::string("  in      x: Tensor [B, C, H, W], float32, 0 to 1, any size\n"),
        std::string("  out     depth: [B, 1, H, W], float32, larger is nearer, at least 0: "),
        std::string("knob      max_size, int, 1008, 0 to 4096: "), std::string("made by   Modelport "),
        std::string("tensors bitwise equal")}) {
    EXPECT_THAT(result.out, HasSubstr(line));
  }
}

TEST_F(InspectArtifactTest, ACopiedFileKeepsItsOwnManifest) {
  Export({"--checkpoint=" + DataPath("tests/checkpoints/" + DepthModel() + ".safetensors")});
  fs::remove(folder_ + "/m.manifest.json");
  const ToolResult result = Inspect();
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("manifest  in it\n"), HasSubstr("target    libtorch\n"),
                                HasSubstr("method    forward(x) -> Tensor\n"), Not(HasSubstr("checks "))));
}

TEST_F(InspectArtifactTest, PrintsTheBillOfMaterials) {
  Export({"--weights=seeded"});
  const ToolResult result = RunTool("inspect", {"--artifact=m.pt", "--bom"}, folder_);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("{\n \"bomFormat\": \"CycloneDX\",\n \"specVersion\": \"1.5\",\n"));
  EXPECT_THAT(result.out, HasSubstr(absl::StrCat("\"content\": \"", Sha256Of(ReadFile(folder_ + "/m.pt")), "\"")));
  EXPECT_THAT(result.out, HasSubstr("3 outputs"));
  fs::remove(folder_ + "/m.manifest.json");
  EXPECT_THAT(RunTool("inspect", {"--artifact=m.pt", "--bom"}, folder_).out, Not(HasSubstr("3 outputs")));
  EXPECT_THAT(RunTool("inspect", {"--checkpoint=m.pt", "--bom"}, folder_).err,
              StartsWith("INVALID_ARGUMENT: --bom changes nothing without --artifact"));
}

TEST_F(InspectArtifactTest, AManifestOfAnotherFileIsAnError) {
  Export({"--weights=seeded"});
  fs::copy_file(folder_ + "/m.pt", folder_ + "/other.pt");
  Export({"--weights=seeded:1"});
  fs::copy_file(folder_ + "/m.manifest.json", folder_ + "/other.manifest.json");
  const ToolResult result = Inspect("other.pt");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, StartsWith("DATA_LOSS: other.manifest.json: describes another file: sha256 is "));
}

TEST_F(InspectArtifactTest, WithoutAManifestOnlyTheFileIsDescribed) {
  const ToolResult result = Inspect(DataPath("tests/lint/scripted.pt"));
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\nmanifest  none: Modelport did not write this file"));
  EXPECT_THAT(result.out, Not(HasSubstr("model ")));
}

TEST_F(InspectArtifactTest, ACheckpointIsNoArtifact) {
  const std::string checkpoint = DataPath("tests/checkpoints/" + ExampleModel("features") + ".pth");
  EXPECT_EQ(
      Inspect(checkpoint).err,
      absl::StrCat("INVALID_ARGUMENT: ", checkpoint,
                   ": not a TorchScript file: a checkpoint of torch.save, which has weights and no code\n"
                   "  TorchScript files are saved as torch.jit.script(module).save(path), or by Modelport's export\n"));
}

TEST_F(InspectArtifactTest, WhatTheManifestSaysCannotForgeALine) {
  Export({"--weights=seeded"});
  const std::string path = folder_ + "/m.manifest.json";
  const std::string forged =
      absl::StrReplaceAll(ReadFile(path), {{"\"target\": \"libtorch\"", "\"target\": \"x\\nchecks  all good\""}});
  ASSERT_NE(forged, ReadFile(path));
  std::ofstream(path) << forged;
  const ToolResult result = Inspect();
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, Not(HasSubstr("\nchecks  all good")));
}

TEST_F(InspectArtifactTest, WhatIsNoArchiveOrNoFileIsAnError) {
  std::ofstream(folder_ + "/text.pt") << "text";
  EXPECT_THAT(Inspect("text.pt").err, StartsWith("DATA_LOSS: text.pt: "));
  EXPECT_THAT(Inspect("none.pt").err, StartsWith("NOT_FOUND: none.pt: "));
  const ToolResult both = RunTool("inspect", {"--artifact=m.pt", "--checkpoint=c.pth"}, folder_);
  EXPECT_THAT(both.err, StartsWith("INVALID_ARGUMENT: --artifact and --checkpoint do not go together: "));
}

}  // namespace
}  // namespace modelport
