// A config.json beside a checkpoint tells models apart that have the same keys and shapes.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/layout_file.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kRelative[] = R"({"model_type": "depth_anything", "depth_estimation_type": "relative", "max_depth": null,
  "backbone_config": {"model_type": "dinov2", "out_indices": [1, 2, 3, 4]}})";
constexpr char kMetric[] = R"({"model_type": "depth_anything", "depth_estimation_type": "metric", "max_depth": 20.0,
  "backbone_config": {"model_type": "dinov2", "out_indices": [1, 2, 3, 4]}})";

// A file in the layout of transformers, which fits tiny_dav2 and tiny_dav2_metric.
class ConfigJsonTest : public testing::Test {
 protected:
  void SetUp() override { Use("transformers"); }

  void Use(const std::string& layout) {
    std::filesystem::copy_file(LayoutFile(layout, "tiny_dav2"), folder_ + "/c.safetensors",
                               std::filesystem::copy_options::overwrite_existing);
  }

  void Write(const std::string& config) { std::ofstream(folder_ + "/config.json") << config; }

  ToolResult Run(const std::string& tool, std::vector<std::string> arguments = {}) {
    arguments.push_back("--checkpoint=c.safetensors");
    arguments.push_back("--plugin_path=" + DataPath("models"));
    return RunTool(tool, arguments, folder_);
  }

  // What inspect says of models.
  std::string Fit() {
    const ToolResult result = Run("inspect");
    EXPECT_EQ(result.exit_status, 0) << result.err;
    return result.out.substr(result.out.find("\nfits ") + 1);
  }

  const std::string folder_ = EmptyFolder("config");
};

TEST_F(ConfigJsonTest, WithoutOneTheUserChooses) {
  EXPECT_THAT(Fit(), AllOf(HasSubstr("fits tiny_dav2, tiny_dav2_metric\n"),
                           HasSubstr("sure: no, these 2 models have the same keys and shapes, and no config.json tells "
                                     "which; --model=NAME chooses\n")));
  EXPECT_EQ(Run("inspect", {"--model=tiny_dav2"}).exit_status, 0);
  EXPECT_EQ(Run("inspect", {"--model=tiny_dav2_metric"}).exit_status, 0);
}

TEST_F(ConfigJsonTest, ItDecides) {
  for (const char* layout : {"transformers", "transformers_v5_internal"}) {
    Use(layout);
    Write(kMetric);
    EXPECT_THAT(Fit(),
                AllOf(HasSubstr("fits tiny_dav2_metric\n"),
                      HasSubstr("\n    depth_estimation_type: tiny_dav2 wants relative, config.json has metric\n")));
    Write(kRelative);
    EXPECT_THAT(Fit(), HasSubstr("fits tiny_dav2\n"));
  }
}

TEST_F(ConfigJsonTest, AnExportWithoutAModelTakesTheOneThatItTells) {
  const ToolResult several = Run("export");
  EXPECT_EQ(several.exit_status, 1);
  EXPECT_EQ(several.err,
            "FAILED_PRECONDITION: c.safetensors: fits 2 models\n  --model=NAME chooses: tiny_dav2, tiny_dav2_metric\n");
  Write(R"({"depth_estimation_type": "metric", "max_depth": 80})");
  const ToolResult none = Run("export");
  EXPECT_EQ(none.exit_status, 1);
  EXPECT_THAT(none.err,
              AllOf(HasSubstr("FAILED_PRECONDITION: c.safetensors: fits no model of the catalog: what has its "
                              "keys and shapes is refused\n"),
                    HasSubstr("depth_estimation_type: tiny_dav2 wants relative, config.json has metric\n"),
                    HasSubstr("max_depth: tiny_dav2_metric wants 20, config.json has 80\n"),
                    HasSubstr("\n  --model=NAME says what can be done about one of them\n")));
  EXPECT_THAT(FileNames(folder_), ElementsAre("c.safetensors", "config.json"));
  Write(kMetric);
  const ToolResult one = Run("export", {"--noverify"});
  EXPECT_EQ(one.exit_status, 0) << one.err;
  EXPECT_THAT(one.err, HasSubstr("recognised tiny_dav2_metric, the only model that fits\n"));
  EXPECT_THAT(FileNames(folder_),
              ElementsAre("c.safetensors", "config.json", "tiny_dav2_metric.manifest.json", "tiny_dav2_metric.pt"));
}

TEST_F(ConfigJsonTest, AFieldThatIsAbsentHasTheLayoutsValue) {
  Write(R"({"model_type": "depth_anything"})");
  EXPECT_THAT(Fit(), HasSubstr("fits tiny_dav2\n"));
}

TEST_F(ConfigJsonTest, ARelativeFileIsNotExportedUnderAMetricName) {
  Write(kRelative);
  const ToolResult result = Run("export", {"--model=tiny_dav2_metric", "--out=m.pt"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.err,
            "FAILED_PRECONDITION: c.safetensors: does not fit tiny_dav2_metric (layout transformers): keys and shapes "
            "do, but config.json contradicts\n"
            "  depth_estimation_type: tiny_dav2_metric wants metric, config.json has relative\n"
            "  max_depth: tiny_dav2_metric wants 20, config.json lacks it, which means 1\n"
            "  it fits another model: --model=tiny_dav2\n");
  EXPECT_THAT(FileNames(folder_), ElementsAre("c.safetensors", "config.json"));
  EXPECT_EQ(Run("inspect", {"--model=tiny_dav2_metric"}).err, result.err);
}

TEST_F(ConfigJsonTest, OtherLayersAndAnotherRangeContradict) {
  Write(R"({"depth_estimation_type": "metric", "max_depth": 80, "backbone_config": {"out_indices": [1, 2, 3, 5]}})");
  EXPECT_THAT(
      Run("inspect", {"--model=tiny_dav2_metric"}).err,
      HasSubstr("config.json contradicts\n"
                "  max_depth: tiny_dav2_metric wants 20, config.json has 80\n"
                "  backbone_config.out_indices: tiny_dav2_metric wants [1, 2, 3, 4], config.json has [1, 2, 3, 5]"));
  EXPECT_THAT(Fit(),
              HasSubstr("fits no model of the catalog\n  sure: no, what has these keys and shapes is refused\n"));
}

// Depth Anything V1 has the keys and shapes of V2. Its files name their layers in one or both ways.
TEST_F(ConfigJsonTest, TheLayersOfV1AreNamed) {
  for (const char* layers :
       {R"("out_features": ["stage1", "stage2", "stage3", "stage5"])", R"("out_indices": [2, 3, 4, 5])"}) {
    Write(absl::StrCat(R"({"depth_estimation_type": "relative", "backbone_config": {)", layers, "}}"));
    for (const char* layout : {"transformers", "original"}) {
      Use(layout);
      EXPECT_THAT(Run("inspect", {"--model=tiny_dav2"}).err,
                  AllOf(HasSubstr("config.json contradicts\n  backbone_config.out_"), HasSubstr("Depth Anything V1")));
    }
  }
}

// The message has the plugin of this model, by which the file is exported.
TEST_F(ConfigJsonTest, AnotherRangeIsAModelOfItsOwn) {
  for (const char* layout : {"transformers", "original"}) {
    Use(layout);
    Write(R"({"model_type": "depth_anything", "depth_estimation_type": "metric", "max_depth": 10})");
    const std::string err = Run("export", {"--model=tiny_dav2_metric", "--out=m.pt"}).err;
    EXPECT_THAT(err, HasSubstr("config.json contradicts\n"
                               "  max_depth: tiny_dav2_metric wants 20, config.json has 10\n"
                               "  if config.json is right, export, package, predict and parity take "
                               "--set=max_depth=10.0\n"
                               "  for a model of the catalog: a folder of --plugin_path with this plugin.yaml adds it "
                               "as --model=mine\n"));
    EXPECT_THAT(Run("export", {"--model=tiny_dav2_metric", "--set=max_depth=10", "--out=m.pt"}).out,
                HasSubstr("max_depth=10.0\n"));
    std::filesystem::remove(folder_ + "/m.pt");
    const size_t first = err.find("    family: mine\n"),
                 last = err.find("  if it is about another file, take it away\n");
    ASSERT_NE(first, err.npos) << err;
    ASSERT_NE(last, err.npos) << err;
    std::filesystem::create_directories(folder_ + "/mine");
    std::ofstream(folder_ + "/mine/plugin.yaml")
        << absl::StrReplaceAll("\n" + err.substr(first, last - first), {{"\n    ", "\n"}});
    const ToolResult result =
        RunTool("export", {"--checkpoint=c.safetensors", "--model=mine", "--out=m.pt", "--plugin_path=mine"}, folder_);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    EXPECT_THAT(FileNames(folder_), Contains("m.pt"));
    std::filesystem::remove(folder_ + "/m.pt");
  }
}

TEST_F(ConfigJsonTest, WhatKeysDoNotTellContradicts) {
  Write(R"({"depth_estimation_type": "relative", "backbone_config": {"num_attention_heads": 12, "hidden_act": "relu",
            "layer_norm_eps": 1e-12}})");
  EXPECT_THAT(Run("inspect", {"--model=tiny_dav2"}).err,
              HasSubstr("config.json contradicts\n"
                        "  backbone_config.num_attention_heads: tiny_dav2 wants 2, config.json has 12\n"
                        "  backbone_config.hidden_act: tiny_dav2 wants gelu, config.json has relu\n"
                        "  backbone_config.layer_norm_eps: tiny_dav2 wants 1e-06, config.json has 1e-12\n"));
}

TEST_F(ConfigJsonTest, AFieldThatThePluginDoesNotKnowIsNoted) {
  Write(R"({"depth_estimation_type": "relative", "use_new_head": true, "torch_dtype": "float32"})");
  const ToolResult result = Run("inspect", {"--model=tiny_dav2"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out,
              HasSubstr("\n  config.json: not compared, since the plugin does not know them: use_new_head\n"));
}

TEST_F(ConfigJsonTest, ADamagedOneIsNotIgnored) {
  Write("{\"depth_estimation_type\": ");
  const ToolResult result = Run("inspect", {"--model=tiny_dav2"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.err, "DATA_LOSS: config.json: is not an object of JSON\n  repair the file or take it away\n");
}

// Fields in an object of a long name, each of whose paths would have the name.
TEST_F(ConfigJsonTest, ManyFieldsBelowALongNameTakeLittleMemory) {
  std::string fields;
  for (int i = 0; i < 50'000; ++i) absl::StrAppend(&fields, i == 0 ? "" : ",", "\"", i, "\":1");
  Write(absl::StrCat("{\"", std::string(400'000, 'n'), "\":{", fields,
                     "},\"depth_estimation_type\":\"metric\",\"max_depth\":20}"));
  const size_t size =
      std::filesystem::file_size(folder_ + "/c.safetensors") + std::filesystem::file_size(folder_ + "/config.json");
  const ToolResult result = RunTool(
      "inspect", {"--checkpoint=c.safetensors", "--model=tiny_dav2_metric", "--plugin_path=" + DataPath("models")},
      folder_, [&] { LimitMemoryAndTime(size); });
  EXPECT_EQ(result.exit_status, 0) << result.err;
}

// Its text cannot imitate what the tools print.
TEST_F(ConfigJsonTest, HostileValuesAreEscaped) {
  Write(R"({"depth_estimation_type": "\u001b[2J\nOK: proven"})");
  const std::string err = Run("inspect", {"--model=tiny_dav2"}).err;
  EXPECT_THAT(err, HasSubstr("config.json has \\x1b[2J\\nOK: proven\n"));
  EXPECT_THAT(err, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace modelport
