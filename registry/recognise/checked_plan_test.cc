#include "registry/recognise/checked_plan.h"

#include <set>
#include <string>
#include <vector>

#include "common/checkpoint/seeded.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"

namespace modelport {
namespace {

// Reads nothing; fails for one key map.
struct FakeReader {
  static absl::StatusOr<FakeReader> Make(const Checkpoint&, const KeyMap& key_map, const SourceChoice& choice) {
    EXPECT_EQ(choice.layout, "auto");
    EXPECT_EQ(choice.state_dict, "teacher");
    made.push_back(&key_map);
    if (&key_map == refused) return absl::InvalidArgumentError("refused");
    return FakeReader{&key_map};
  }

  const KeyMap* key_map;
  inline static std::vector<const KeyMap*> made;
  inline static const KeyMap* refused = nullptr;
};

TEST(ForEachVariantTest, VisitsEveryVariantOfThePluginsThatCanBeRead) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
  ASSERT_OK_AND_ASSIGN(const CatalogEntry refused, registry.Find("dinov2_vits14"));
  FakeReader::refused = &refused.plugin->key_map;
  std::vector<std::string> expected, visited;
  std::set<const KeyMap*> key_maps;
  for (const CatalogEntry& entry : registry.catalog()) {
    key_maps.insert(&entry.plugin->key_map);
    if (entry.plugin != refused.plugin) expected.push_back(entry.variant->name);
  }
  ForEachVariant<FakeReader>(registry, MakeSeededCheckpoint({}, 0), {"auto", "teacher"},
                             [&](const FakeReader& reader, const CatalogEntry& entry, const ModuleTree& tree) {
                               EXPECT_EQ(reader.key_map, &entry.plugin->key_map);
                               EXPECT_EQ(tree.root.type->name(), entry.variant->module.type);
                               visited.push_back(entry.variant->name);
                             });
  EXPECT_EQ(visited, expected);
  EXPECT_EQ(FakeReader::made.size(), key_maps.size());
}

}  // namespace
}  // namespace modelport
