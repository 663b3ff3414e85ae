// Drafts of layouts for files of other libraries map as the key maps that people wrote for them.
#include "tools/draft/draft_layout.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "common/checkpoint/checkpoint.h"
#include "common/checkpoint/seeded.h"
#include "common/keymap/comparison.h"
#include "common/keymap/header_checkpoint.h"
#include "common/keymap/key_map.h"
#include "common/keymap/key_mapper.h"
#include "common/keymap/plan.h"
#include "common/keymap/published_keys.h"
#include "common/module_tree/module_tree.h"
#include "common/operation/slot_source.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "tests/support/case_table.h"
#include "tests/support/examples.h"
#include "tests/support/layout_file.h"

namespace modelport {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct File {
  std::string layout, model;
  size_t filled, slots;  // Of the draft.
};

void PrintTo(const File& file, std::ostream* out) { *out << file.layout << "/" << file.model; }

// A model and its family's key map.
struct Model {
  explicit Model(const std::string& name) : registry(Registry::Load(BuiltInPlugins(), {"models"}).value()) {
    const CatalogEntry entry = registry.Find(name).value();
    key_map = entry.plugin->key_map;
    tree = BuildModuleTree(entry.plugin->library, entry.variant->module).value();
  }

  Registry registry;
  KeyMap key_map;
  ModuleTree tree;
};

class DraftedFileTest : public testing::TestWithParam<File> {};

TEST_P(DraftedFileTest, MapsWhatItFillsAsThePluginDoes) {
  const auto [layout, name, filled, slots] = GetParam();
  const Model model(name);
  ASSERT_OK_AND_ASSIGN(const Checkpoint checkpoint, OpenCheckpoint(LayoutFile(layout, name)));
  ASSERT_OK_AND_ASSIGN(const LayoutDraft draft, DraftLayout(checkpoint.state_dicts()[0], model.tree));
  EXPECT_EQ(draft.filled, filled) << draft.yaml;
  EXPECT_EQ(draft.slots, slots);

  ASSERT_OK_AND_ASSIGN(const KeyMap drafted, ParseKeyMap({"keymap.yaml", draft.yaml}));
  ASSERT_OK_AND_ASSIGN(const KeyMapper mapper, KeyMapper::Make(checkpoint, drafted, {}));
  ASSERT_OK_AND_ASSIGN(const Comparison comparison, mapper.Compare(model.tree, name));
  EXPECT_THAT(comparison.unconvertible, IsEmpty());
  absl::flat_hash_set<const Slot*> missing, left;
  for (const MissingSlot& slot : comparison.missing) missing.insert(slot.slot);
  left = missing;
  for (const Misfit& misfit : comparison.wrong_shape) left.insert(misfit.slot);
  EXPECT_EQ(left.size(), slots - filled);

  ASSERT_OK_AND_ASSIGN(const Plan plan, MakePlan(checkpoint, model.key_map, model.tree, {layout}, name));
  size_t source = 0;
  for (size_t i = 0; i < model.tree.slots.size(); ++i) {
    const Slot& slot = model.tree.slots[i];
    if (missing.contains(&slot)) continue;
    const SlotSource& drafted_source = comparison.plan.sources[source++];
    if (left.contains(&slot)) continue;
    EXPECT_EQ(drafted_source, plan.sources[i]) << slot.name;
  }
}

std::vector<File> Files() {
  std::vector<File> files;
  for (const Case& fields : ReadFamilyTables("layouts.txt")) {
    const std::pair<std::string, std::string> drafted = absl::StrSplit(Text(fields, "drafted"), " of ");
    File file = {Text(fields, "layout"), Text(fields, "model"), 0, 0};
    if (absl::SimpleAtoi(drafted.first, &file.filled) && absl::SimpleAtoi(drafted.second, &file.slots)) {
      files.push_back(file);
    }
  }
  return files;
}

INSTANTIATE_TEST_SUITE_P(All, DraftedFileTest, testing::ValuesIn(Files()),
                         [](const auto& info) { return absl::StrCat(info.param.layout, "_", info.param.model); });

// A published file with other words in the place of upstream's.
TEST(DraftLayoutTest, ARenamedFileIsCovered) {
  const std::string name = ExampleModel("published features");
  const Model model(name);
  std::vector<SeededKey> keys = PublishedKeys(model.key_map, model.tree);
  for (SeededKey& key : keys) {
    key.key = "net." + absl::StrReplaceAll(key.key, {{"blocks.", "stages."},
                                                     {"patch_embed.proj", "stem.conv"},
                                                     {"attn.", "attention."},
                                                     {"norm1", "ln_1"},
                                                     {"norm2", "ln_2"},
                                                     {"gamma", "scale"}});
  }
  const Checkpoint checkpoint = MakeHeaderCheckpoint("renamed.pth", keys);
  ASSERT_OK_AND_ASSIGN(const LayoutDraft draft, DraftLayout(checkpoint.state_dicts()[0], model.tree));
  EXPECT_EQ(draft.filled, model.tree.slots.size());
  EXPECT_EQ(draft.used, keys.size());
  ASSERT_OK_AND_ASSIGN(const KeyMap drafted, ParseKeyMap({"keymap.yaml", draft.yaml}));
  ASSERT_OK_AND_ASSIGN(const Plan plan, MakePlan(checkpoint, drafted, model.tree, {}, name));
  for (size_t i = 0; i < plan.sources.size(); ++i) {
    EXPECT_EQ(plan.sources[i].inputs()[0].tensor->key, keys[i].key) << model.tree.slots[i].name;
  }
}

}  // namespace
}  // namespace modelport
