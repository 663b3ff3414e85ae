// Every layout of every model, written and read back: by keys, shapes and dtypes.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/checkpoint/checkpoint.h"
#include "common/checkpoint/seeded.h"
#include "common/expression/expression.h"
#include "common/keymap/header_checkpoint.h"
#include "common/keymap/key_map.h"
#include "common/keymap/key_mapper.h"
#include "common/keymap/plan.h"
#include "common/keymap/published_keys.h"
#include "common/keymap/stored_layout.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "tests/support/case_table.h"

namespace modelport {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The headers of a file, sorted.
std::vector<std::string> Sorted(const std::vector<SeededKey>& keys) {
  std::vector<std::string> lines;
  for (const SeededKey& key : keys) {
    lines.push_back(key.key + " " + std::string(DTypeName(key.dtype)) + " " + ShapeString(key.shape));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::vector<SeededKey> KeysOf(const StoredLayout& stored) {
  std::vector<SeededKey> keys;
  for (const StoredTensor& tensor : stored.tensors) {
    keys.push_back({tensor.key, tensor.source.shape(), tensor.source.dtype()});
  }
  return keys;
}

// What a file in layout `to` holds of a file with `keys` in layout `from`.
absl::StatusOr<StoredLayout> Convert(const KeyMap& key_map, const ModuleTree& tree, const std::vector<SeededKey>& keys,
                                     const std::string& from, const Layout& to) {
  const Checkpoint checkpoint = MakeHeaderCheckpoint("m.pth", keys);
  ASSIGN_OR_RETURN(const Plan plan, MakePlan(checkpoint, key_map, tree, {from}, "model"));
  return StoreInLayout(plan, tree, to);
}

// The keys that `layout` drops, which are left out.
std::vector<SeededKey> Without(std::vector<SeededKey> keys, const std::vector<Unstorable>& left_out) {
  const auto is_left_out = [&](const SeededKey& key) {
    return std::any_of(left_out.begin(), left_out.end(), [&](const Unstorable& part) { return part.name == key.key; });
  };
  keys.erase(std::remove_if(keys.begin(), keys.end(), is_left_out), keys.end());
  return keys;
}

// Whether there are files of the layout for models with this tree.
bool HasConstants(const ModuleTree& tree, const Layout& layout) {
  return std::all_of(layout.constants.begin(), layout.constants.end(), [&](const StatedConstant& constant) {
    const Value* const value = FindConstant(tree, constant.path);
    return value != nullptr && ValueString(*value) == constant.value;
  });
}

// Whether a rule of `layout` fills `slot` that cannot be taken back.
bool IsFilledOneWay(const Layout& layout, const std::string& slot) {
  return std::any_of(layout.sources.begin(), layout.sources.end(), [&](const auto& rule) {
    return !rule.one_way.empty() && std::any_of(rule.slots.begin(), rule.slots.end(),
                                                [&](const auto& pattern) { return pattern.Matches(slot); });
  });
}

// Whether the keys have the marks of the layout.
bool IsRecognised(const Layout& layout, const std::vector<SeededKey>& keys) {
  return std::all_of(layout.recognise.begin(), layout.recognise.end(), [&](const KeyPattern& mark) {
    return std::any_of(keys.begin(), keys.end(), [&](const SeededKey& key) { return mark.Matches(key.key); });
  });
}

TEST(LayoutInversesTest, EveryLayoutThatCanBeWrittenIsReadBack) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
  std::set<std::string> there_and_back;
  for (const CatalogEntry& entry : registry.catalog()) {
    const KeyMap& key_map = entry.plugin->key_map;
    ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, entry.variant->module));
    const std::vector<SeededKey> published = PublishedKeys(key_map, tree);
    // Then the layouts are those of the family's models of one file.
    const bool has_parts = entry.variant->files.size() > 1 && !key_map.layouts.empty();
    if (has_parts && !IsRecognised(*key_map.Find("original"), published)) continue;
    for (const Layout& layout : key_map.layouts) {
      SCOPED_TRACE(entry.variant->name + " in layout " + layout.name);
      const absl::StatusOr<StoredLayout> there = Convert(key_map, tree, published, "original", layout);
      if (layout.name == "chunked" || layout.name == "old") {
        EXPECT_THAT(there, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("can only be read")));
        continue;
      }
      if (!HasConstants(tree, layout)) {
        EXPECT_THAT(there, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("is of models with")));
        continue;
      }
      ASSERT_OK(there);
      for (const Unstorable& part : there->unstorable) {
        EXPECT_TRUE(IsFilledOneWay(layout, part.name) || layout.FindDropped(part.name) != nullptr) << part.name;
      }
      const std::vector<SeededKey> kept = Without(published, there->unstorable);
      // Without pos_embed the file cannot be read.
      if (published.size() - kept.size() > 1) continue;
      const absl::StatusOr<StoredLayout> back =
          Convert(key_map, tree, KeysOf(*there), layout.name, *key_map.Find("original"));
      ASSERT_OK(back);
      EXPECT_THAT(back->unstorable, IsEmpty());
      EXPECT_EQ(Sorted(KeysOf(*back)), Sorted(kept));
      there_and_back.insert(entry.plugin->family + " " + layout.name);
    }
  }
  for (const Case& fields : ReadCaseTable("tests/keymap/layout_inverses.txt")) {
    for (const std::string& layout : Texts(fields, "layout")) {
      EXPECT_THAT(there_and_back, Contains(Text(fields, "family") + " " + layout));
    }
  }
}

}  // namespace
}  // namespace modelport
