// export and verify if outputs are not finite, and if the processor's kernels are wrong.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr char kPlugin[] = R"yaml(family: toy
summary: one batch norm
upstream: {source: "https://example.org", commit: "1", licence: MIT}
preprocessing: {mean: [0, 0, 0], std: [1, 1, 1]}
examples: ["forward([2, 3, 4, 5])"]
variants:
  toy:
    {summary: s, module: Toy(), file: toy.safetensors, url: u, licence: MIT, licence_claims: [
      {licence: ISC, url: page}, {licence: MIT, url: readme}]}
)yaml";

constexpr char kModules[] = R"yaml(modules:
  Toy():
    buffers: {running_mean: [3], running_var: [3]}
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return torch.batch_norm(x, None, None, self.running_mean, self.running_var, False, 0.1, 1e-5, False)
)yaml";

constexpr char kKeyMap[] = "layouts: {original: {recognise: [running_var]}}\n";

// A folder with the plugin `toy`, whose outputs are not stated unless `modules` does.
std::string ToyPlugin(const std::string& modules = kModules) {
  const std::string folder = EmptyFolder("toy");
  std::ofstream(folder + "/plugin.yaml") << kPlugin;
  std::ofstream(folder + "/modules.yaml") << modules;
  std::ofstream(folder + "/keymap.yaml") << kKeyMap;
  return folder;
}

// Writes a checkpoint of it.
void WriteToy(const std::string& path, const std::vector<float>& running_var) {
  const std::string header = R"({"running_mean":{"dtype":"F32","shape":[3],"data_offsets":[0,12]},)"
                             R"("running_var":{"dtype":"F32","shape":[3],"data_offsets":[12,24]}})";
  const uint64_t size = header.size();
  const float running_mean[3] = {};
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(&size), sizeof(size)) << header;
  file.write(reinterpret_cast<const char*>(running_mean), sizeof(running_mean));
  file.write(reinterpret_cast<const char*>(running_var.data()), sizeof(running_mean));
}

class NonfiniteOutputTest : public testing::Test {
 protected:
  void SetUp() override { WriteToy(folder_ + "/toy.safetensors", {1, -1, 1}); }

  ToolResult Run(const std::string& tool, std::vector<std::string> flags) {
    flags.insert(flags.end(), {"--checkpoint=toy.safetensors", "--plugin_path=" + plugin_});
    return RunTool(tool, flags, folder_);
  }

  const std::string plugin_ = ToyPlugin();
  const std::string folder_ = EmptyFolder("nonfinite");
};

TEST_F(NonfiniteOutputTest, IsAnErrorThatNamesCallCountsAndOperator) {
  const ToolResult result = Run("export", {"--model=toy", "--out=m.pt"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, AllOf(StartsWith("FAILED_PRECONDITION: "), HasSubstr("m.pt: the round trip failed"),
                                HasSubstr("forward([2, 3, 4, 5]): 40 of 120 values are NaN and 0 infinite"),
                                HasSubstr("batch_norm(float32 [2, 3, 4, 5], "), HasSubstr("--allow_nonfinite")));
  EXPECT_EQ(FileNames(folder_), std::vector<std::string>{"toy.safetensors"});
}

TEST_F(NonfiniteOutputTest, IsCountedInTheManifestWhereItIsAllowed) {
  const ToolResult result = Run("export", {"--model=toy", "--out=m.pt", "--allow_nonfinite"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("not finite  forward([2, 3, 4, 5]) 40 NaN, 0 infinite\n"));
  const auto manifest = nlohmann::json::parse(ReadFile(folder_ + "/m.manifest.json"));
  EXPECT_EQ(manifest["round_trip"]["outputs"][0]["nan"], 40);
  EXPECT_EQ(manifest["round_trip"]["outputs"][0]["infinite"], 0);
  const ToolResult verified = Run("verify", {"--artifact=m.pt"});
  EXPECT_EQ(verified.exit_status, 0) << verified.err;
  EXPECT_THAT(verified.out, HasSubstr("40 NaN"));
}

TEST_F(NonfiniteOutputTest, FailsVerificationWhereTheManifestDoesNotCountIt) {
  ASSERT_EQ(Run("export", {"--model=toy", "--out=m.pt", "--noverify"}).exit_status, 0);
  const ToolResult verified = Run("verify", {"--artifact=m.pt"});
  EXPECT_EQ(verified.exit_status, 1);
  EXPECT_THAT(verified.err, HasSubstr("40 of 120 values are NaN"));
}

TEST_F(NonfiniteOutputTest, GoodWeightsPass) {
  WriteToy(folder_ + "/toy.safetensors", {1, 2, 1});
  EXPECT_EQ(Run("export", {"--model=toy", "--out=m.pt"}).exit_status, 0);
}

// The plugin with an entry point that has this output.
std::string ToyPluginWithOutput(const std::string& output) {
  return ToyPlugin(absl::StrReplaceAll(kModules, {{"    methods: |", absl::StrCat(R"yaml(    entry_points:
      forward:
        inputs: [{name: x, shape: [B, 3, H, W], image: prepared}]
        outputs: [{name: y, )yaml",
                                                                                  output, "}]\n    methods: |")}}));
}

TEST(EntryPointTest, AnOutputThatIsNotAsStatedIsAnErrorThatNamesTheLine) {
  const std::string folder = EmptyFolder("stated");
  const auto export_toy = [&](const std::string& plugin) {
    return RunTool("export", {"--model=toy", "--out=m.pt", "--weights=seeded", "--plugin_path=" + plugin}, folder);
  };
  for (const auto& [output, message] : std::vector<std::pair<std::string, std::string>>{
           {"shape: [B, H, W]",
            "\"y\" of forward([2, 3, 4, 5]): wants [B, H, W] with B = 2, H = 4, W = 5, has [2, 3, 4, 5]"},
           {"shape: [B, 3, H, W], min: 0", "\"y\" of forward([2, 3, 4, 5]): wants at least 0, has -"},
           {"shape: [B, 3, H, W], dtype: int64", "wants the dtype Long, has Float"},
           {"help: no tensor", "\"y\" is a tensor, without a shape, in the result, which is Tensor"}}) {
    const std::string plugin = ToyPluginWithOutput(output);
    const ToolResult result = export_toy(plugin);
    EXPECT_EQ(result.exit_status, 1) << output;
    EXPECT_THAT(result.err,
                AllOf(StartsWith("INVALID_ARGUMENT: " + plugin + "/modules.yaml:7:19: entry point forward: "),
                      HasSubstr(message)));
    EXPECT_THAT(FileNames(folder), IsEmpty());
  }
  EXPECT_EQ(export_toy(ToyPluginWithOutput("shape: [B, 3, H, W]")).exit_status, 0);
}

TEST(ManifestTest, HoldsWhatSourcesSayOfTheLicence) {
  const std::string folder = EmptyFolder("licence");
  const ToolResult result =
      RunTool("export", {"--model=toy", "--out=m.pt", "--weights=seeded", "--plugin_path=" + ToyPlugin()}, folder);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const auto manifest = nlohmann::json::parse(ReadFile(folder + "/m.manifest.json"));
  EXPECT_EQ(manifest["weights_licence"], "MIT");
  EXPECT_EQ(manifest["licence_claims"].dump(), R"([{"licence":"ISC","url":"page"},{"licence":"MIT","url":"readme"}])");
}

TEST(ManifestTest, HoldsTheTextOfTheLicence) {
  const std::string folder = EmptyFolder("licence_text"), plugins = ToyPlugin();
  const std::string text = "Anybody may use \"toy\".\r\n\n\xc2\xa9 its owners\n";
  std::ofstream(folder + "/LICENSE") << text;
  const std::vector<std::string> flags = {"--model=toy", "--out=m.pt", "--weights=seeded", "--plugin_path=" + plugins};
  std::vector<std::string> with_text = flags;
  with_text.push_back("--licence_file=LICENSE");
  const ToolResult result = RunTool("export", with_text, folder);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(ReadFile(folder + "/m.manifest.json"))["request"]["licence_text"], text);
  std::filesystem::remove(folder + "/LICENSE");
  const ToolResult verified = RunTool("verify", {"m.pt", "--plugin_path=" + plugins}, folder);
  EXPECT_EQ(verified.exit_status, 0) << verified.err;

  const std::pair<std::string, std::string> wrong[] = {
      {"empty", ""}, {"binary", "a\xff"}, {"nul", std::string("a\0b", 3)}, {"long", std::string((1 << 20) + 1, 'a')}};
  for (const auto& [name, bytes] : wrong) {
    std::ofstream(absl::StrCat(folder, "/", name)) << bytes;
    std::vector<std::string> refused = flags;
    refused.push_back("--licence_file=" + name);
    const ToolResult other = RunTool("export", refused, folder);
    EXPECT_EQ(other.exit_status, 1);
    EXPECT_THAT(other.err,
                AllOf(StartsWith("INVALID_ARGUMENT: "), HasSubstr(name + ": is no text in UTF-8 of 1 byte to 1 MiB")));
  }
}

// On processors with AMX, LibTorch's bfloat16 convolutions of these sizes are wrong and differ from run to run.
TEST(KernelFaultTest, Bfloat16IsProvenOnEveryProcessor) {
  const std::string folder = EmptyFolder("bfloat16");
  const ToolResult result = RunTool(
      "export", {"--model=" + ExampleModel("published depth"), "--weights=seeded", "--dtype=bfloat16", "--out=m.pt"},
      folder);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const auto manifest = nlohmann::json::parse(ReadFile(folder + "/m.manifest.json"));
  EXPECT_EQ(manifest["round_trip"]["proven"], true);
  const std::string fault = manifest["round_trip"]["kernel_fault"];
  EXPECT_THAT(fault, AnyOf(IsEmpty(), StartsWith("aten::mkldnn_convolution(bfloat16 [2, 384, 3, 2], ")));
  if (!fault.empty()) {
    EXPECT_THAT(result.out, AllOf(HasSubstr(", without oneDNN\n"), HasSubstr(fault)));
  }
  const ToolResult verified = RunTool("verify", {"--artifact=m.pt"}, folder);
  EXPECT_EQ(verified.exit_status, 0) << verified.err;
}

}  // namespace
}  // namespace modelport
