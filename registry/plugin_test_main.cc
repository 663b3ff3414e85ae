// The test of one plugin. Arguments: the family and the folder of its package.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/keymap/header_checkpoint.h"
#include "common/keymap/key_map.h"
#include "common/keymap/plan.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "registry/plugin.h"
#include "registry/registry.h"

namespace modelport {
namespace {

std::string family;
std::string folder;

// The test plugin in testdata/, or "".
std::string TestPluginPath() {
  const std::string path = absl::StrCat(folder, "/testdata");
  return std::filesystem::exists(path + "/plugin.yaml") ? path : "";
}

class PluginTest : public testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<Registry> registry = Registry::Load(TestPluginPath());
    ASSERT_OK(registry);
    registry_ = std::make_unique<Registry>(*std::move(registry));
    for (const CatalogEntry& entry : registry_->catalog()) {
      const bool extends_it = !entry.plugin->extends.empty() && entry.plugin->extends[0].family == family;
      if (entry.plugin->family == family || extends_it) entries_.push_back(entry);
    }
  }

  static ModuleTree Build(const CatalogEntry& entry) {
    absl::StatusOr<ModuleTree> tree = BuildModuleTree(entry.plugin->library, entry.variant->module);
    EXPECT_THAT(tree, IsOk()) << MarkString(entry.variant->mark);
    return std::move(tree).value_or(ModuleTree());
  }

  std::unique_ptr<Registry> registry_;
  std::vector<CatalogEntry> entries_;  // Variants of the plugin and of its test plugin.
};

TEST_F(PluginTest, EveryVariantsTreeBuilds) {
  for (const CatalogEntry& entry : entries_) EXPECT_FALSE(Build(entry).slots.empty()) << entry.variant->name;
}

TEST_F(PluginTest, EveryVariantTakesItsPublishedKeys) {
  for (const CatalogEntry& entry : entries_) {
    const ModuleTree tree = Build(entry);
    const Checkpoint checkpoint = MakeHeaderCheckpoint("published", PublishedKeys(entry.plugin->key_map, tree));
    const auto plan = MakePlan(checkpoint, entry.plugin->key_map, tree, {}, entry.variant->name);
    ASSERT_OK(plan);
    EXPECT_EQ(plan->layout, "original");
  }
}

bool MatchesSlot(const KeyPattern& pattern, const ModuleTree& tree) {
  return std::any_of(tree.slots.begin(), tree.slots.end(),
                     [&](const Slot& slot) { return pattern.Match(slot.name).has_value(); });
}

// A slot that a rule names must be a slot of some variant: else the rule has outlived what it was for.
TEST_F(PluginTest, EverySlotOfARuleExists) {
  if (entries_.empty()) return;
  std::vector<ModuleTree> trees;
  for (const CatalogEntry& entry : entries_) trees.push_back(Build(entry));
  for (const Layout& layout : entries_[0].plugin->key_map.layouts) {
    std::vector<std::pair<const KeyPattern*, YamlMark>> rules;
    for (const Allowance& allowance : layout.missing) rules.emplace_back(&allowance.key, allowance.mark);
    for (const Alias& alias : layout.aliases) rules.emplace_back(&alias.slot, alias.mark);
    for (const auto& [slot, mark] : rules) {
      EXPECT_TRUE(std::any_of(trees.begin(), trees.end(), [&](const auto& tree) { return MatchesSlot(*slot, tree); }))
          << MarkString(mark) << ": " << slot->text();
    }
  }
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  modelport::family = argv[1];
  modelport::folder = argv[2];
  return RUN_ALL_TESTS();
}
