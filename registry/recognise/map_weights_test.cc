#include "registry/recognise/map_weights.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "common/checkpoint/seeded.h"
#include "common/keymap/plan.h"
#include "common/keymap/published_keys.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/recognise/checked_plan.h"
#include "registry/recognise/recognise_model.h"
#include "registry/registry.h"

namespace modelport {
namespace {

TEST(MappedWeightsTest, ThePlanKeepsItsCheckpointOpen) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
  ASSERT_OK_AND_ASSIGN(const CatalogEntry entry, registry.Find("tiny_dinov2"));
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, entry.variant->module));
  ASSERT_OK_AND_ASSIGN(std::vector<MappedPart> weights, MapWeights(FittingHint(registry), entry, tree, Seeded{0}));
  const std::string key = weights[0].checkpoint.state_dicts().front().tensors.front().key;
  const Plan plan = std::move(weights[0]).plan;
  weights[0].checkpoint = Checkpoint(CheckpointContents());
  std::set<std::string> keys;
  for (const SlotSource& source : plan.sources) {
    for (const SourceInput& input : source.inputs()) keys.insert(input.tensor->key);
  }
  EXPECT_EQ(keys.count(key), 1);
}

TEST(MapWeightsTest, AFileOfAnotherVariantNamesThatVariant) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
  ASSERT_OK_AND_ASSIGN(const CatalogEntry plain, registry.Find("tiny_dinov2"));
  ASSERT_OK_AND_ASSIGN(const CatalogEntry with_registers, registry.Find("tiny_dinov2_reg"));
  ASSERT_OK_AND_ASSIGN(const ModuleTree own, BuildModuleTree(plain.plugin->library, plain.variant->module));
  ASSERT_OK_AND_ASSIGN(const ModuleTree other,
                       BuildModuleTree(with_registers.plugin->library, with_registers.variant->module));
  Checkpoint checkpoint = MakeSeededCheckpoint(PublishedKeys(plain.plugin->key_map, own), 0);
  EXPECT_THAT(NamesOfFitting(FindFittingVariants(registry, checkpoint, {})), testing::ElementsAre("tiny_dinov2"));
  EXPECT_THAT(MapCheckpoint(FittingHint(registry), with_registers, other, std::move(checkpoint), {}),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       testing::EndsWith("\n  it fits another model: --model=tiny_dinov2")));
}

}  // namespace
}  // namespace modelport
