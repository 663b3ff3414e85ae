// Published files of config.json agree with the families' rules, and any change that the model depends on contradicts.
// A family's testdata/config_json.txt has what libraries publish, as far as public sources show it, and what Modelport
// says of it. `config` agrees with `model`, which is a file of `layout` or, for `child`, fills that child of the root.
// A line "+" changes one field to a value that contradicts, "-" one field to a value that is not compared, and
// `unknown` names the fields that are noted.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "common/keymap/header_checkpoint.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/recognise/checked_plan.h"
#include "registry/registry.h"
#include "tests/support/case_table.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using Json = nlohmann::json;

const Registry& Plugins() {
  static const auto* const registry = new absl::StatusOr<Registry>(Registry::Load(BuiltInPlugins(), {}));
  EXPECT_OK(*registry);
  return **registry;
}

class ConfigJsonTest : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_);
    config_ = Json::parse(Text(GetParam(), "config"), nullptr, /*allow_exceptions=*/false);
    ASSERT_TRUE(config_.is_object());
  }

  // What a checkpoint beside `config` is told.
  absl::StatusOr<ConfigComparison> Compare(const Json& config) {
    std::ofstream(folder_ + "/config.json") << config.dump();
    const absl::StatusOr<CatalogEntry> entry = Plugins().Find(Text(GetParam(), "model"));
    if (!entry.ok()) return entry.status();
    const std::string child = Text(GetParam(), "child");
    const KeyMap* const key_map = entry->plugin->key_map.FindPart(child);
    const Layout* const layout = key_map == nullptr ? nullptr : key_map->Find(Text(GetParam(), "layout"));
    if (layout == nullptr) return absl::NotFoundError("no such layout");
    const std::vector<SeededKey> no_keys;
    return CompareConfig(MakeHeaderCheckpoint(folder_ + "/model.safetensors", no_keys), *entry, child, *layout);
  }

  // The same after a change, "backbone_config.window_size 7".
  absl::StatusOr<ConfigComparison> CompareChanged(const std::string& change) {
    const std::pair<std::string, std::string> ends = absl::StrSplit(change, absl::MaxSplits(' ', 1));
    Json config = config_;
    const Json value = Json::parse(ends.second, nullptr, /*allow_exceptions=*/false);
    EXPECT_FALSE(value.is_discarded()) << change;
    config[Json::json_pointer(absl::StrCat("/", absl::StrReplaceAll(ends.first, {{".", "/"}})))] = value;
    return Compare(config);
  }

  const std::string folder_ = testing::TempDir() + "/config_json";
  Json config_;
};

TEST_P(ConfigJsonTest, WhatIsPublishedAgrees) {
  ASSERT_OK_AND_ASSIGN(const ConfigComparison comparison, Compare(config_));
  EXPECT_EQ(comparison.path, folder_ + "/config.json");
  for (const ConfigDifference& difference : comparison.differences) {
    ADD_FAILURE() << difference.rule->field << " wants " << difference.wanted << ", has " << difference.has;
  }
  EXPECT_THAT(comparison.unknown, ElementsAreArray(Texts(GetParam(), "unknown")));
}

TEST_P(ConfigJsonTest, WhatAModelDependsOnIsCompared) {
  for (const std::string& change : Texts(GetParam(), "+")) {
    ASSERT_OK_AND_ASSIGN(const ConfigComparison comparison, CompareChanged(change));
    std::vector<std::string> fields;
    for (const ConfigDifference& difference : comparison.differences) fields.push_back(difference.rule->field);
    const std::vector<std::string> parts = absl::StrSplit(change, ' ');
    EXPECT_THAT(fields, ElementsAre(parts[0])) << change;
  }
}

TEST_P(ConfigJsonTest, WhatChangesNothingIsUnread) {
  for (const std::string& change : Texts(GetParam(), "-")) {
    ASSERT_OK_AND_ASSIGN(const ConfigComparison comparison, CompareChanged(change));
    EXPECT_THAT(comparison.differences, IsEmpty()) << change;
    EXPECT_THAT(comparison.unknown, ElementsAreArray(Texts(GetParam(), "unknown"))) << change;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ConfigJsonTest, testing::ValuesIn(ReadFamilyTables("config_json.txt")),
                         [](const auto& info) { return absl::StrCat(info.index, "_", Text(info.param, "model")); });

}  // namespace
}  // namespace modelport
