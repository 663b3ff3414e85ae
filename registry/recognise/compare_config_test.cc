#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/types/optional.h"
#include "common/keymap/header_checkpoint.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/recognise/checked_plan.h"
#include "registry/registry.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kPlugin[] = R"yaml(family: wave
summary: for tests
upstream: {source: "https://example.org/wave", commit: 0123456, licence: MIT}
preprocessing: {}
examples: ["forward([2])"]
variants:
  wave_a:
    summary: a
    module: Wave(2, gain=20.0)
    file: a.pth
    licence: MIT
    published: false
)yaml";

constexpr char kTypes[] = R"yaml(modules:
  Wave(dim, gain, taps=[1, 2]):
    parameters: {w: [dim]}
    attributes: {gain: gain}
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return x * self.w * self.gain
)yaml";

constexpr char kKeyMap[] = R"yaml(layouts:
  original: {recognise: [w]}
  other:
    recognise: [w]
    config:
      kind: {is: '"wave"'}
      gain: {is: gain, absent: 1}
      net.taps: {is: taps}
      act: relu
    config_unread: [rate, "net.old.{rest*}"]
)yaml";

class CompareConfigTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ + "/wave");
    Write("wave/plugin.yaml", kPlugin);
    Write("wave/modules.yaml", kTypes);
    Write("wave/keymap.yaml", kKeyMap);
    Load();
  }

  void Load() {
    auto registry = Registry::Load(BuiltInPlugins(), {folder_});
    ASSERT_OK(registry);
    registry_ = *std::move(registry);
  }

  void Write(const std::string& name, const std::string& text) { std::ofstream(folder_ + "/" + name) << text; }

  absl::StatusOr<ConfigComparison> Compare(const std::string& config, const std::string& model = "wave_a",
                                           const std::string& layout = "other") {
    Write("config.json", config);
    const std::vector<SeededKey> no_keys;
    const CatalogEntry entry = *registry_->Find(model);
    return CompareConfig(MakeHeaderCheckpoint(folder_ + "/m.safetensors", no_keys), entry, "",
                         *entry.plugin->key_map.Find(layout));
  }

  std::string Cure(const std::string& config) {
    const auto comparison = Compare(config);
    EXPECT_OK(comparison);
    return ConfigCure(*comparison, *registry_->Find("wave_a"));
  }

  const std::string folder_ = testing::TempDir() + "/compare_config";
  absl::optional<Registry> registry_;
};

TEST_F(CompareConfigTest, DifferencesAndUnknownFieldsAreFound) {
  ASSERT_OK_AND_ASSIGN(const ConfigComparison comparison,
                       Compare(R"({"act": "gelu", "kind": "wave", "rate": 1, "torch_dtype": "float16",
                                   "net": {"taps": [1, 3], "old": {"x": 1}, "new": 2}})"));
  EXPECT_EQ(comparison.path, folder_ + "/config.json");
  ASSERT_EQ(comparison.differences.size(), 3);
  EXPECT_EQ(comparison.differences[0].rule->field, "gain");
  EXPECT_EQ(comparison.differences[0].wanted, "20");
  EXPECT_EQ(comparison.differences[0].has, "1");
  EXPECT_TRUE(comparison.differences[0].is_absent);
  EXPECT_EQ(comparison.differences[1].has, "[1, 3]");
  EXPECT_FALSE(comparison.differences[1].is_absent);
  EXPECT_EQ(comparison.differences[2].wanted, "relu");
  EXPECT_THAT(comparison.unknown, ElementsAre("net.new"));
}

TEST_F(CompareConfigTest, ALayoutWithoutRulesReadsNoFile) {
  ASSERT_OK_AND_ASSIGN(const ConfigComparison comparison, Compare("damaged", "wave_a", "original"));
  EXPECT_EQ(comparison.path, "");
  EXPECT_THAT(Compare("damaged"), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("config.json")));
  std::filesystem::remove(folder_ + "/config.json");
  ASSERT_OK_AND_ASSIGN(const ConfigComparison agreeing, Compare(R"({"gain": 20.0})"));
  EXPECT_THAT(agreeing.differences, IsEmpty());
  EXPECT_EQ(ConfigCure(agreeing, *registry_->Find("wave_a")), "");
}

TEST_F(CompareConfigTest, WhatArgumentsSayIsAPluginThatWorks) {
  const std::string config = R"({"gain": 5, "net": {"taps": [0, 4]}})";
  const std::string cure = Cure(config);
  const std::string before =
      "\n  if config.json is right, export, package, predict and parity take --set=gain=5.0,taps=[0, 4]"
      "\n  for a model of the catalog: a folder of --plugin_path with this plugin.yaml adds it as --model=mine\n";
  const std::string after = "\n  if it is about another file, take it away";
  const std::string yaml =
      "    family: mine\n    summary: mine\n    extends: wave\n"
      "    variants: {mine: {summary: mine, module: \"Wave(dim=2, gain=5.0, taps=[0, 4])\"}}";
  EXPECT_EQ(cure, before + yaml + after);
  std::filesystem::create_directories(folder_ + "/mine");
  Write("mine/plugin.yaml", absl::StrReplaceAll("\n" + yaml, {{"\n    ", "\n"}}));
  Load();
  ASSERT_OK_AND_ASSIGN(const ConfigComparison comparison, Compare(config, "mine"));
  EXPECT_THAT(comparison.differences, IsEmpty());
}

TEST_F(CompareConfigTest, WhatNoArgumentSaysIsInTheDocumentation) {
  for (const char* config : {R"({"gain": 5, "act": "gelu"})", R"({"gain": "x\", ffn=Evil"})", R"({"gain": "dim"})"}) {
    const std::string cure = Cure(config);
    EXPECT_THAT(cure, HasSubstr("docs/plugins.md, \"A fine-tune of a model\", says how to add it\n")) << config;
    EXPECT_THAT(cure, Not(HasSubstr("family:")));
  }
}

}  // namespace
}  // namespace modelport
