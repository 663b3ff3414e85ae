#include "pipeline/map_weights.h"

#include <type_traits>
#include <utility>

#include "absl/types/optional.h"
#include "common/checkpoint/seeded.h"
#include "common/keymap/plan.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
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
    EXPECT_TRUE(source.tensor >= &tensors.front() && source.tensor <= &tensors.back());
  }
}

TEST(MapWeightsTest, AFileOfAnotherVariantNamesThatVariant) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load("models"));
  ASSERT_OK_AND_ASSIGN(const CatalogEntry plain, registry.Find("tiny_dinov2"));
  ASSERT_OK_AND_ASSIGN(const CatalogEntry with_registers, registry.Find("tiny_dinov2_reg"));
  ASSERT_OK_AND_ASSIGN(const ModuleTree own, BuildModuleTree(plain.plugin->library, plain.variant->module));
  ASSERT_OK_AND_ASSIGN(const ModuleTree other,
                       BuildModuleTree(with_registers.plugin->library, with_registers.variant->module));
  Checkpoint checkpoint = MakeSeededCheckpoint(PublishedKeys(plain.plugin->key_map, own), 0);
  EXPECT_THAT(FittingVariants(registry, checkpoint, absl::nullopt), testing::ElementsAre("tiny_dinov2"));
  EXPECT_THAT(MapCheckpoint(registry, with_registers, other, std::move(checkpoint), {}),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       testing::EndsWith("\n  it fits another model: --model=tiny_dinov2")));
}

}  // namespace
}  // namespace modelport
