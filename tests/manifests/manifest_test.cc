// Plans for the published checkpoints of a family, made from their keys and shapes alone: everything is accounted for,
// and nothing else would be taken.
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/checkpoint/checkpoint.h"
#include "common/checkpoint/seeded.h"
#include "common/keymap/header_checkpoint.h"
#include "common/keymap/key_map.h"
#include "common/keymap/key_mapper.h"
#include "common/keymap/plan.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_matchers.h"
#include "common/tensor/shape.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "registry/weight_parts.h"
#include "tests/manifests/key_list.h"
#include "tests/support/test_models.h"

namespace modelport {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> Models() {
  std::vector<std::string> models;
  for (const auto& [model, path] : KeyLists("keys")) models.push_back(model);
  return models;
}

// One of all those whose files have the same keys and shapes: what is wrong in one file is wrong in the others.
std::vector<std::string> ModelsOfOwnKeys() {
  std::set<std::string> seen;
  std::vector<std::string> models;
  for (const auto& [model, path] : KeyLists("keys")) {
    const KeyList list = ReadKeyList(path);
    std::string text = list.layout;
    for (const auto* keys : {&list.keys, &list.unused}) {
      for (const SeededKey& key : *keys) absl::StrAppend(&text, "\n", key.key, " ", ShapeString(key.shape));
      text += "\nunused";
    }
    if (seen.insert(text).second) models.push_back(model);
  }
  return models;
}

const Registry& EmbeddedRegistry() {
  static const auto* const registry = new Registry(Registry::Load(BuiltInPlugins(), {}).value());
  return *registry;
}

class ManifestTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::pair<std::string, std::string> names = absl::StrSplit(GetParam(), absl::MaxSplits('.', 1));
    ASSERT_OK_AND_ASSIGN(entry_, EmbeddedRegistry().Find(names.first));
    ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildModuleTree(entry_.plugin->library, entry_.variant->module));
    ASSERT_OK_AND_ASSIGN(std::vector<WeightPart> parts, SplitWeights(*entry_.plugin, *entry_.variant, tree));
    for (WeightPart& part : parts) {
      if (part.file->part == names.second) part_ = std::move(part);
    }
    ASSERT_NE(part_.file, nullptr);
    manifest_ = ReadKeyList(KeyLists("keys").at(GetParam()));
    ASSERT_FALSE(manifest_.keys.empty());
    layout_ = part_.key_map->Find(manifest_.layout.empty() ? "original" : manifest_.layout);
    ASSERT_NE(layout_, nullptr);
    ASSERT_OK_AND_ASSIGN(plan_, Make(manifest_.keys));
    for (const auto& [key, reason] : plan_.unused) unused_.insert(key);
  }

  // The slot's name for a key of the file.
  std::string Name(const std::string& key) const { return std::string(absl::StripPrefix(key, layout_->prefix)); }

  absl::StatusOr<Plan> Make(std::vector<SeededKey> keys) {
    keys.insert(keys.end(), manifest_.unused.begin(), manifest_.unused.end());
    checkpoint_ = std::make_unique<Checkpoint>(MakeHeaderCheckpoint(manifest_.file, keys));
    return MakePlan(*checkpoint_, *part_.key_map, part_.tree, {}, GetParam());
  }

  // Expects a refusal whose message names `key`. A file of another layout may be compared with `original`, of which it
  // fills more slots.
  void ExpectRefused(const std::vector<SeededKey>& keys, const std::string& key) {
    const std::string named = manifest_.layout.empty() ? key : "";
    EXPECT_THAT(Make(keys), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(named)));
  }

  CatalogEntry entry_;
  WeightPart part_ = {};
  const Layout* layout_ = nullptr;
  KeyList manifest_;
  std::unique_ptr<Checkpoint> checkpoint_;
  Plan plan_;                     // Of the whole list.
  std::set<std::string> unused_;  // Its keys that no slot needs.
};

TEST_P(ManifestTest, EveryKeyAndShapeIsAccountedFor) {
  EXPECT_EQ(plan_.layout, layout_->name);
  EXPECT_EQ(part_.file->name, manifest_.file);
  std::set<std::string> used = unused_;
  for (const SlotSource& source : plan_.sources) {
    for (const SourceInput& input : source.inputs()) used.insert(input.tensor->key);
  }
  EXPECT_EQ(used.size(), checkpoint_->state_dicts()[0].tensors.size());
  int64_t parameters = 0;
  for (const SeededKey& key : manifest_.keys) parameters += *ElementCount(key.shape);
  EXPECT_EQ(parameters, manifest_.parameters);
}

TEST_P(ManifestTest, UpstreamsOwnKeysAreTheSlots) {
  if (!manifest_.layout.empty()) GTEST_SKIP();
  EXPECT_EQ(unused_.size(), manifest_.unused.size());
  ASSERT_EQ(plan_.sources.size(), manifest_.keys.size() + plan_.aliases.size());
  for (size_t i = 0; i < plan_.sources.size(); ++i) {
    const std::vector<SourceInput> inputs = plan_.sources[i].inputs();
    ASSERT_EQ(inputs.size(), 1);
    const CheckpointTensor* const tensor = inputs[0].tensor;
    EXPECT_EQ(layout_->StoredKey(part_.tree.slots[i].name), Name(tensor->key));
    EXPECT_EQ(part_.tree.slots[i].shape, tensor->shape) << tensor->key;
  }
}

TEST_P(ManifestTest, SlotsAreInTheOrderOfTheFile) {
  if (manifest_.has_other_order || !manifest_.layout.empty()) GTEST_SKIP();
  const std::vector<Slot>& slots = part_.tree.slots;
  ASSERT_EQ(slots.size(), manifest_.keys.size());
  for (size_t i = 0; i < slots.size(); ++i) EXPECT_EQ(slots[i].name, Name(manifest_.keys[i].key));
}

// torch.compile and DistributedDataParallel wrap a model in modules of theirs.
TEST_P(ManifestTest, KeysBehindThoseOfTrainingToolsFillTheSameSlots) {
  const std::string prefix = "module._orig_mod.";
  for (auto* keys : {&manifest_.keys, &manifest_.unused}) {
    for (SeededKey& key : *keys) key.key = prefix + key.key;
  }
  ASSERT_OK_AND_ASSIGN(const Plan plan, Make(manifest_.keys));
  EXPECT_EQ(plan.layout, layout_->name);
  ASSERT_EQ(plan.sources.size(), plan_.sources.size());
  for (size_t i = 0; i < plan.sources.size(); ++i) {
    const std::vector<SourceInput> expected = plan_.sources[i].inputs(), inputs = plan.sources[i].inputs();
    ASSERT_EQ(inputs.size(), expected.size());
    for (size_t k = 0; k < inputs.size(); ++k) {
      EXPECT_EQ(absl::StripPrefix(inputs[k].tensor->key, prefix), expected[k].tensor->key);
    }
  }
}

class WrongManifestTest : public ManifestTest {};

TEST_P(WrongManifestTest, EveryDroppedKeyIsMissed) {
  for (size_t i = 0; i < manifest_.keys.size(); ++i) {
    std::vector<SeededKey> keys = manifest_.keys;
    const std::string key = keys[i].key;
    keys.erase(keys.begin() + i);
    if (key.ends_with("mask_token") || key.ends_with("num_batches_tracked") || unused_.contains(key)) {
      EXPECT_OK(Make(keys));
    } else {
      ExpectRefused(keys, Name(key));
    }
  }
}

TEST_P(WrongManifestTest, EveryChangedShapeIsRefused) {
  for (size_t i = 0; i < manifest_.keys.size(); ++i) {
    if (unused_.contains(manifest_.keys[i].key)) continue;
    std::vector<SeededKey> keys = manifest_.keys;
    Shape& shape = keys[i].shape;
    shape.empty() ? shape.push_back(2) : void(shape.back() += 1);
    ExpectRefused(keys, absl::StrCat("wrong shape: ", Name(keys[i].key), " wants "));
  }
}

TEST_P(ManifestTest, AnAddedKeyIsRefused) {
  for (const std::string key : {"head.weight", "blocks.99.norm1.weight", "mask_tokens"}) {
    std::vector<SeededKey> keys = manifest_.keys;
    keys.push_back(SeededKey(keys[0]));
    keys.back().key = key;
    ExpectRefused(keys, absl::StrCat("unexpected: ", key));
  }
}

std::string ParamName(const testing::TestParamInfo<std::string>& info) {
  return absl::StrReplaceAll(info.param, {{".", "_"}});
}

INSTANTIATE_TEST_SUITE_P(All, ManifestTest, testing::ValuesIn(Models()), ParamName);
INSTANTIATE_TEST_SUITE_P(All, WrongManifestTest, testing::ValuesIn(ModelsOfOwnKeys()), ParamName);

// Every file of every variant of the family that is no backbone, which has a manifest of its own.
TEST(ManifestsTest, EveryVariantHasOne) {
  const std::vector<std::string> models = Models();
  for (const CatalogEntry& entry : EmbeddedRegistry().catalog()) {
    if (entry.plugin->family != TestFamily()) continue;
    for (const PublishedFile& file : entry.variant->files) {
      if (file.part == "backbone") continue;
      const std::string name = absl::StrCat(entry.variant->name, file.part.empty() ? "" : ".", file.part);
      EXPECT_THAT(models, testing::Contains(name));
    }
  }
}

}  // namespace
}  // namespace modelport
