#include "registry/recognise/map_weights.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/optional.h"
#include "common/checkpoint/seeded.h"
#include "common/keymap/header_checkpoint.h"
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

TEST(FitsNoModelTest, AnAdapterIsNamedOnceWhicheverWayTheNearestIsFound) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
  ASSERT_OK_AND_ASSIGN(const CatalogEntry entry, registry.Find("tiny_dinov2"));
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, entry.variant->module));
  std::vector<SeededKey> named = PublishedKeys(entry.plugin->key_map, tree), renamed = named;
  for (size_t i = 0; i < renamed.size(); ++i) renamed[i].key = absl::StrCat("x.", i);
  for (std::vector<SeededKey>* const keys : {&named, &renamed}) {
    keys->push_back({"x.lora_A.weight", {2, 3}});
    const absl::Status status = FitsNoModel(registry, MakeHeaderCheckpoint("a.pth", *keys), {});
    EXPECT_THAT(status.message(), testing::HasSubstr("the nearest is tiny_dinov2"));
    const std::vector<std::string> around =
        absl::StrSplit(status.message(), "it holds a LoRA adapter, x.lora_A.weight");
    EXPECT_EQ(around.size(), 2) << status.message();
  }
}

// The published keys of the variant behind `prefix`, and the keys `more`.
Checkpoint Wrapped(const CatalogEntry& entry, const std::string& prefix, const std::vector<std::string>& more) {
  const auto tree = BuildModuleTree(entry.plugin->library, entry.variant->module);
  const Checkpoint whole = MakeSeededCheckpoint(PublishedKeys(entry.plugin->key_map, *tree), 0);
  CheckpointContents contents;
  contents.path = "wrapped.ckpt";
  contents.files = whole.files();
  contents.storages = whole.storages();
  contents.state_dicts = whole.state_dicts();
  for (CheckpointTensor& tensor : contents.state_dicts[0].tensors) tensor.key = prefix + tensor.key;
  for (const std::string& key : more) {
    contents.state_dicts[0].tensors.push_back(contents.state_dicts[0].tensors.back());
    contents.state_dicts[0].tensors.back().key = key;
  }
  return Checkpoint(std::move(contents));
}

TEST(MapWeightsTest, AnyPrefixIsFound) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
  ASSERT_OK_AND_ASSIGN(const CatalogEntry entry, registry.Find("tiny_dinov2"));
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, entry.variant->module));
  for (const std::string prefix : {"model.", "net.encoder.", "module._orig_mod.", "backbone."}) {
    ASSERT_OK_AND_ASSIGN(const MappedWeights mapped, MapCheckpoint(FittingHint(registry), entry, tree,
                                                                   Wrapped(entry, prefix, {"criterion.weight"}), {}));
    EXPECT_EQ(mapped.plan.prefix, prefix);
    EXPECT_EQ(mapped.plan.others, 1);
  }
}

TEST(MapWeightsTest, APartOfAnotherModelIsTakenOnlyWhenItIsAskedFor) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
  ASSERT_OK_AND_ASSIGN(const CatalogEntry backbone, registry.Find("tiny_dinov2"));
  ASSERT_OK_AND_ASSIGN(const CatalogEntry whole, registry.Find("tiny_dav2"));
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildModuleTree(backbone.plugin->library, backbone.variant->module));
  const Checkpoint checkpoint = Wrapped(whole, "", {});
  EXPECT_THAT(MapCheckpoint(FittingHint(registry), backbone, tree, checkpoint, {}),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       testing::AllOf(testing::HasSubstr("those that begin with pretrained."),
                                      testing::EndsWith("--prefix=pretrained. takes that part"))));
}

}  // namespace
}  // namespace modelport
