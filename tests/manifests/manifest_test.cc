// Plans for the published checkpoints, made from their keys and shapes alone: everything is accounted for, and nothing
// else would be taken.
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/header_checkpoint.h"
#include "common/keymap/key_map.h"
#include "common/keymap/key_mapper.h"
#include "common/keymap/plan.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_matchers.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/embedded_plugins.h"
#include "registry/registry.h"
#include "registry/weight_parts.h"

namespace modelport {
namespace {

using ::testing::HasSubstr;

struct Manifest {
  std::string file;
  int64_t parameters = 0;
  StateDict dict;
};

CheckpointTensor ParseTensor(const std::vector<std::string>& words) {
  CheckpointTensor tensor;
  tensor.key = words[0];
  tensor.dtype = ParseDType(words[1]).value();
  for (const absl::string_view size : absl::StrSplit(words.size() > 2 ? words[2] : "", ',', absl::SkipEmpty())) {
    tensor.shape.push_back(std::stoll(std::string(size)));
  }
  tensor.strides = RowMajorStrides(tensor.shape);
  return tensor;
}

Manifest ReadManifest(const std::string& model) {
  std::ifstream stream(absl::StrCat("tests/manifests/", model, ".txt"));
  Manifest manifest;
  for (std::string line; std::getline(stream, line);) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    if (words[0] == "file") {
      manifest.file = words[1];
    } else if (words[0] == "parameters") {
      manifest.parameters = std::stoll(words[1]);
    } else {
      manifest.dict.tensors.push_back(ParseTensor(words));
    }
  }
  return manifest;
}

std::vector<std::string> Models() {
  std::vector<std::string> models;
  for (const auto& entry : std::filesystem::directory_iterator("tests/manifests")) {
    if (entry.path().extension() == ".txt") models.push_back(entry.path().stem());
  }
  return models;
}

const Registry& EmbeddedRegistry() {
  static const auto* const registry = new Registry(Registry::Load(EmbeddedPlugins(), {}).value());
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
    manifest_ = ReadManifest(GetParam());
    ASSERT_FALSE(manifest_.dict.tensors.empty());
    layout_ = part_.key_map->Find("original");
    ASSERT_NE(layout_, nullptr);
  }

  // The slot's name for a key of the file.
  std::string Name(const std::string& key) const { return std::string(absl::StripPrefix(key, layout_->prefix)); }

  absl::StatusOr<Plan> Make(const StateDict& dict) {
    checkpoint_ = std::make_unique<Checkpoint>(MakeHeaderCheckpoint(manifest_.file, std::vector<StateDict>{dict}));
    return MakePlan(*checkpoint_, *part_.key_map, part_.tree, {}, GetParam());
  }

  // Expects a refusal whose message names `key`.
  void ExpectRefused(const StateDict& dict, const std::string& key) {
    EXPECT_THAT(Make(dict), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(key)));
  }

  CatalogEntry entry_;
  WeightPart part_ = {};
  const Layout* layout_ = nullptr;
  Manifest manifest_;
  std::unique_ptr<Checkpoint> checkpoint_;
};

TEST_P(ManifestTest, EveryKeyAndShapeIsAccountedFor) {
  ASSERT_OK_AND_ASSIGN(const Plan plan, Make(manifest_.dict));
  EXPECT_TRUE(plan.unused.empty());
  const std::vector<CheckpointTensor>& tensors = checkpoint_->state_dicts()[0].tensors;
  ASSERT_EQ(plan.sources.size(), tensors.size() + plan.aliases.size());
  std::set<const CheckpointTensor*> used;
  int64_t parameters = 0;
  for (size_t i = 0; i < plan.sources.size(); ++i) {
    const std::vector<SourceInput> inputs = plan.sources[i].inputs();
    ASSERT_EQ(inputs.size(), 1);
    const CheckpointTensor* const tensor = inputs[0].tensor;
    EXPECT_EQ(layout_->StoredKey(part_.tree.slots[i].name), Name(tensor->key));
    EXPECT_EQ(part_.tree.slots[i].shape, tensor->shape) << tensor->key;
    if (used.insert(tensor).second) parameters += *ElementCount(tensor->shape);
  }
  EXPECT_EQ(used.size(), tensors.size());
  EXPECT_EQ(parameters, manifest_.parameters);
  EXPECT_EQ(part_.file->name, manifest_.file);
}

// The fusion blocks of Depth Anything 3, which Depth Anything V2 shares, have another order upstream.
TEST_P(ManifestTest, SlotsAreInTheOrderOfTheFile) {
  if (entry_.plugin->family == "depth_anything_3") GTEST_SKIP();
  const std::vector<Slot>& slots = part_.tree.slots;
  ASSERT_EQ(slots.size(), manifest_.dict.tensors.size());
  for (size_t i = 0; i < slots.size(); ++i) EXPECT_EQ(slots[i].name, Name(manifest_.dict.tensors[i].key));
}

TEST_P(ManifestTest, EveryDroppedKeyIsMissed) {
  for (size_t i = 0; i < manifest_.dict.tensors.size(); ++i) {
    StateDict dict = manifest_.dict;
    const std::string key = dict.tensors[i].key;
    dict.tensors.erase(dict.tensors.begin() + i);
    if (key.ends_with("mask_token") || key.ends_with("num_batches_tracked")) {
      EXPECT_OK(Make(dict));
    } else {
      ExpectRefused(dict, Name(key));
    }
  }
}

TEST_P(ManifestTest, EveryChangedShapeIsRefused) {
  for (size_t i = 0; i < manifest_.dict.tensors.size(); ++i) {
    StateDict dict = manifest_.dict;
    Shape& shape = dict.tensors[i].shape;
    shape.empty() ? shape.push_back(2) : void(shape.back() += 1);
    ExpectRefused(dict, absl::StrCat("wrong shape: ", Name(dict.tensors[i].key), " wants "));
  }
}

TEST_P(ManifestTest, AnAddedKeyIsRefused) {
  for (const std::string key : {"head.weight", "blocks.99.norm1.weight", "mask_tokens"}) {
    StateDict dict = manifest_.dict;
    dict.tensors.push_back(dict.tensors[0]);
    dict.tensors.back().key = key;
    ExpectRefused(dict, absl::StrCat("unexpected: ", key));
  }
}

INSTANTIATE_TEST_SUITE_P(All, ManifestTest, testing::ValuesIn(Models()),
                         [](const auto& info) { return absl::StrReplaceAll(info.param, {{".", "_"}}); });

// Every file of every variant that is no backbone, which has a manifest of its own.
TEST(ManifestsTest, EveryVariantHasOne) {
  const std::vector<std::string> models = Models();
  for (const CatalogEntry& entry : EmbeddedRegistry().catalog()) {
    for (const PublishedFile& file : entry.variant->files) {
      if (file.part == "backbone") continue;
      const std::string name = absl::StrCat(entry.variant->name, file.part.empty() ? "" : ".", file.part);
      EXPECT_THAT(models, testing::Contains(name));
    }
  }
}

}  // namespace
}  // namespace modelport
