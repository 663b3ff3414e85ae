#include "pipeline/map_weights.h"

#include <type_traits>
#include <utility>

#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "registry/registry.h"

namespace modelport {
namespace {

static_assert(!std::is_copy_constructible_v<MappedWeights> && !std::is_copy_assignable_v<MappedWeights>);

TEST(MappedWeightsTest, ThePlanBorrowsFromTheCheckpointThatMovesWithIt) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load("models"));
  ASSERT_OK_AND_ASSIGN(const CatalogEntry entry, registry.Find("tiny_dinov2"));
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, entry.variant->module));
  ASSERT_OK_AND_ASSIGN(MappedWeights first, MapWeights(registry, entry, tree, Seeded{0}));
  const MappedWeights moved = std::move(first);
  const auto& tensors = moved.checkpoint.state_dicts().front().tensors;
  for (const SlotSource& source : moved.plan.sources) {
    for (const SourceInput& input : source.inputs()) {
      EXPECT_TRUE(input.tensor >= &tensors.front() && input.tensor <= &tensors.back());
    }
  }
}

}  // namespace
}  // namespace modelport
