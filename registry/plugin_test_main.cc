// The test of one plugin, read from its folder:
//   plugin_test FAMILY FOLDER[,USED]... [LARGE]...
// FOLDER is that of the plugin's package, each USED that of a plugin which it uses and which is not built in, and each
// LARGE a variant that its BUILD file lists as large.
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/keymap/header_checkpoint.h"
#include "common/keymap/key_map.h"
#include "common/keymap/key_mapper.h"
#include "common/keymap/published_keys.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/script/compiler.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/catalog_rules.h"
#include "registry/check_plugin.h"
#include "registry/link_plugins.h"
#include "registry/plugin.h"
#include "registry/plugin_folder.h"
#include "registry/weight_parts.h"

namespace modelport {
namespace {

std::string* family;
std::string* folder;
std::vector<std::string>* used;
std::vector<std::string>* large;

// A variant of the plugin or of its test plugin.
struct Entry {
  const Plugin* plugin;
  const Variant* variant;
};

class PluginTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(std::vector<PluginFolder> folders, ReadPluginFolders(*folder));
    for (const std::string& path : *used) {
      ASSERT_OK_AND_ASSIGN(std::vector<PluginFolder> more, ReadPluginFolders(path));
      std::move(more.begin(), more.end(), std::back_inserter(folders));
    }
    ASSERT_OK_AND_ASSIGN(plugins_, LinkPlugins(GroupByFolder(BuiltInPlugins().value()), folders));
    for (const auto& plugin : plugins_) {
      const bool is_for_tests = absl::StartsWith(plugin->path, absl::StrCat(*folder, "/"));
      if (plugin->path != *folder && !is_for_tests) continue;
      const std::string& named = is_for_tests && !plugin->extends.empty() ? plugin->extends[0].family : plugin->family;
      ASSERT_EQ(named, *family) << plugin->path << "/plugin.yaml names another family than its BUILD file";
      found_ |= plugin->path == *folder;
      for (const Variant& variant : plugin->variants) entries_.push_back({plugin.get(), &variant});
    }
    ASSERT_TRUE(found_) << *folder << ": no plugin.yaml";
  }

  static ModuleTree Build(const Entry& entry) {
    absl::StatusOr<ModuleTree> tree = BuildModuleTree(entry.plugin->library, entry.variant->module);
    EXPECT_THAT(tree, IsOk()) << MarkString(entry.variant->mark);
    return std::move(tree).value_or(ModuleTree());
  }

  static std::vector<WeightPart> Split(const Entry& entry) {
    absl::StatusOr<std::vector<WeightPart>> parts = SplitWeights(*entry.plugin, *entry.variant, Build(entry));
    EXPECT_THAT(parts, IsOk()) << MarkString(entry.variant->mark);
    return std::move(parts).value_or(std::vector<WeightPart>());
  }

  std::vector<std::unique_ptr<const Plugin>> plugins_;
  bool found_ = false;
  std::vector<Entry> entries_;  // Empty for a family of shared layers.
};

// Programs that have the plugin built in do not check it.
TEST_F(PluginTest, EveryVariantCanBeMade) {
  for (const auto& plugin : plugins_) {
    const bool is_own = plugin->path == *folder || absl::StartsWith(plugin->path, *folder + "/");
    EXPECT_OK(is_own ? CheckPlugin(*plugin) : absl::OkStatus());
  }
  for (const Entry& entry : entries_) EXPECT_FALSE(Build(entry).slots.empty()) << entry.variant->name;
}

// An export compiles only the functions that its model calls.
TEST_F(PluginTest, EveryFunctionCompiles) {
  for (const auto& plugin : plugins_) {
    if (plugin->path != *folder) continue;
    EXPECT_OK(Compiler().AddFunctions(plugin->library->functions()));
  }
}

TEST_F(PluginTest, EveryVariantTakesItsPublishedKeys) {
  for (const Entry& entry : entries_) {
    for (const WeightPart& part : Split(entry)) {
      const Checkpoint checkpoint = MakeHeaderCheckpoint("published", PublishedKeys(*part.key_map, part.tree));
      const auto plan = MakePlan(checkpoint, *part.key_map, part.tree, {}, part.Title(*entry.variant));
      ASSERT_OK(plan);
      EXPECT_EQ(plan->layout, "original");
    }
  }
}

TEST_F(PluginTest, TheBuildFileListsTheLargeVariants) {
  std::vector<std::string> wanted;
  for (const Entry& entry : entries_) {
    if (entry.plugin->path == *folder && IsLarge(Build(entry))) wanted.push_back(entry.variant->name);
  }
  std::sort(wanted.begin(), wanted.end());
  EXPECT_EQ(*large, wanted) << *folder << "/BUILD: write in model_plugin():\n    large = [\""
                            << absl::StrJoin(wanted, "\", \"") << "\"],";
}

bool MatchesSlot(const KeyPattern& pattern, const ModuleTree& tree) {
  return std::any_of(tree.slots.begin(), tree.slots.end(),
                     [&](const Slot& slot) { return pattern.Match(slot.name).has_value(); });
}

// The slots that rules name which the file `path` states.
std::vector<std::pair<const KeyPattern*, YamlMark>> RuleSlots(const KeyMap& key_map, const std::string& path) {
  std::vector<std::pair<const KeyPattern*, YamlMark>> slots;
  const auto add = [&](const KeyPattern& slot, const YamlMark& mark) {
    if (mark.file == path) slots.emplace_back(&slot, mark);
  };
  for (const Layout& layout : key_map.layouts) {
    for (const Allowance& allowance : layout.missing) add(allowance.key, allowance.mark);
    for (const Alias& alias : layout.aliases) add(alias.slot, alias.mark);
    for (const Conversion& conversion : layout.sources) {
      for (const KeyPattern& slot : conversion.slots) add(slot, conversion.mark);
    }
  }
  return slots;
}

// A slot that a rule names must be a slot of some variant; otherwise the rule is obsolete. A rule of another family,
// which this one may extend, is a matter of that one's test.
TEST_F(PluginTest, EverySlotOfARuleExists) {
  if (entries_.empty() || !absl::StartsWith(entries_[0].plugin->key_map.path, *folder + "/")) return;
  std::map<std::string, std::vector<WeightPart>> parts;  // Of all variants, by the child that they fill.
  for (const Entry& entry : entries_) {
    for (WeightPart& part : Split(entry)) parts[part.file->part].push_back(std::move(part));
    if (auto whole = WholeTree(*entry.plugin, *entry.variant, Build(entry))) parts[""].push_back(*std::move(whole));
  }
  for (const auto& [child, filled] : parts) {
    const KeyMap& key_map = entries_[0].plugin->key_map;
    for (const auto& [slot, mark] : RuleSlots(*key_map.FindPart(child), key_map.path)) {
      EXPECT_TRUE(std::any_of(filled.begin(), filled.end(),
                              [&](const WeightPart& part) { return MatchesSlot(*slot, part.tree); }))
          << MarkString(mark) << ": " << slot->text();
    }
  }
}

// The names of slots that a rule of `arguments` reads: those in shape("SLOT"), size("SLOT", 0) and the like.
std::vector<std::string> SlotsRead(const ArgumentRule& rule) {
  static const auto* const name = new std::regex(R"re(\b(?:count|first|shape|size)\("([^"]*)")re");
  const std::string text = rule.value.text();
  std::vector<std::string> slots;
  for (std::sregex_iterator found(text.begin(), text.end(), *name), end; found != end; ++found) {
    slots.push_back((*found)[1]);
  }
  return slots;
}

// A rule that reads slots which no variant has would never tell anything. One of several may be a slot of other models:
// size("w3.weight", 0) is 0 of those with another feed-forward layer.
TEST_F(PluginTest, ASlotOfEachArgumentExists) {
  for (const auto& plugin : plugins_) {
    if (plugin->path != *folder) continue;
    for (const auto& [root, rules] : plugin->arguments) {
      std::vector<ModuleTree> trees;
      for (const Entry& entry : entries_) {
        if (entry.variant->module.type == root) trees.push_back(Build(entry));
      }
      for (const ArgumentRule& rule : rules) {
        if (!absl::StartsWith(rule.mark.file, plugin->path + "/")) continue;  // Of the family that this one extends.
        const std::vector<std::string> slots = SlotsRead(rule);
        const auto exists = [&](const std::string& slot) {
          const absl::StatusOr<KeyPattern> pattern = KeyPattern::Parse(slot);
          return pattern.ok() && std::any_of(trees.begin(), trees.end(),
                                             [&](const ModuleTree& tree) { return MatchesSlot(*pattern, tree); });
        };
        EXPECT_TRUE(slots.empty() || std::any_of(slots.begin(), slots.end(), exists))
            << MarkString(rule.mark) << ": no variant of " << root << " has a slot " << absl::StrJoin(slots, " or ");
      }
    }
  }
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc < 3) {
    std::fprintf(stderr, "usage: plugin_test FAMILY FOLDER[,USED]... [LARGE]...\n");
    return 1;
  }
  modelport::family = new std::string(argv[1]);
  const std::vector<std::string> folders = absl::StrSplit(argv[2], ',');
  modelport::folder = new std::string(folders[0]);
  modelport::used = new std::vector<std::string>(folders.begin() + 1, folders.end());
  modelport::large = new std::vector<std::string>(argv + 3, argv + argc);
  return RUN_ALL_TESTS();
}
