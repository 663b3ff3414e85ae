#include "pipeline/map_weights.h"

#include <set>
#include <string>
#include <utility>

#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "registry/registry.h"

namespace modelport {
namespace {

TEST(MappedWeightsTest, ThePlanKeepsItsCheckpointOpen) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load("models"));
  ASSERT_OK_AND_ASSIGN(const CatalogEntry entry, registry.Find("tiny_dinov2"));
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, entry.variant->module));
  ASSERT_OK_AND_ASSIGN(MappedWeights weights, MapWeights(registry, entry, tree, Seeded{0}));
  const std::string key = weights.checkpoint.state_dicts().front().tensors.front().key;
  const Plan plan = std::move(weights).plan;
  weights.checkpoint = Checkpoint(CheckpointContents());
  std::set<std::string> keys;
  for (const SlotSource& source : plan.sources) {
    for (const SourceInput& input : source.inputs()) keys.insert(input.tensor->key);
  }
  EXPECT_EQ(keys.count(key), 1);
}

}  // namespace
}  // namespace modelport
