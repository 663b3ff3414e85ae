// ResNet's checkpoints: files of transformers, and the counters of batch normalisation.
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "artifact/export/export_model.h"
#include "artifact/verify/verify_artifact.h"
#include "common/checkpoint/checkpoint.h"
#include "common/checkpoint/seeded.h"
#include "common/checkpoint/testing/checkpoint_writer.h"
#include "common/keymap/header_checkpoint.h"
#include "common/keymap/key_mapper.h"
#include "common/keymap/plan.h"
#include "common/keymap/published_keys.h"
#include "common/module_tree/module_tree.h"
#include "common/operation/slot_source.h"
#include "common/status/status_matchers.h"
#include "common/tensor/dtype.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "nlohmann/json.hpp"
#include "registry/registry.h"
#include "tests/manifests/key_list.h"
#include "tests/support/case_table.h"

namespace modelport {
namespace {

TEST(ResNetKeysTest, FilesFromBeforeTheCounterAreTaken) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
  ASSERT_OK_AND_ASSIGN(const CatalogEntry entry, registry.Find("resnet18"));
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, entry.variant->module));
  std::vector<SeededKey> keys = ReadKeyList("models/resnet/testdata/keys/resnet18.txt").keys;
  EXPECT_EQ(std::erase_if(keys, [](const SeededKey& key) { return absl::EndsWith(key.key, "_tracked"); }), 20);
  const Checkpoint checkpoint = MakeHeaderCheckpoint("resnet18.pth", keys);
  EXPECT_OK(MakePlan(checkpoint, entry.plugin->key_map, tree, {}, "resnet18"));
}

// The keys of a file of transformers, by the slot whose weights each holds.
std::map<std::string, SeededKey> TransformersKeys() {
  const std::vector<Case> cases = ReadCaseTable("models/resnet/tests/transformers_keys.txt");
  std::map<std::string, SeededKey> keys;
  for (const CaseField& field : cases.at(0)) {
    const std::vector<std::string> words = absl::StrSplit(field.text, ' ');
    SeededKey& key = keys[field.name];
    key.key = words.at(0);
    key.dtype = ParseDType(words.at(1)).value();
    if (words.size() == 2) continue;
    for (const absl::string_view size : absl::StrSplit(words[2], ',')) {
      key.shape.push_back(std::stoll(std::string(size)));
    }
  }
  return keys;
}

// transformers' ResNetForImageClassification with upstream's weights, saved by that library.
TEST(ResNetKeysTest, AResNetOfTransformersFillsTheSlotsWithUpstreamsWeights) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
  ASSERT_OK_AND_ASSIGN(const CatalogEntry entry, registry.Find("tiny_resnet_bottleneck"));
  ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, entry.variant->module));
  const std::map<std::string, SeededKey> by_slot = TransformersKeys();
  std::vector<SeededKey> keys;
  for (const auto& [slot, key] : by_slot) keys.push_back(key);
  const Checkpoint checkpoint = MakeHeaderCheckpoint("resnet.safetensors", keys);
  ASSERT_OK_AND_ASSIGN(const Plan plan,
                       MakePlan(checkpoint, entry.plugin->key_map, tree, {}, "tiny_resnet_bottleneck"));
  EXPECT_EQ(plan.layout, "transformers");
  EXPECT_TRUE(plan.unused.empty());
  EXPECT_EQ(tree.slots.size(), by_slot.size());
  for (size_t i = 0; i < tree.slots.size(); ++i) {
    const Slot& slot = tree.slots[i];
    ASSERT_EQ(plan.sources[i].inputs().size(), 1) << slot.name;
    EXPECT_EQ(plan.sources[i].operation(), "") << slot.name;
    EXPECT_EQ(plan.sources[i].inputs()[0].tensor->key, by_slot.at(slot.name).key) << slot.name;
  }
}

// Writes a checkpoint of `entry` with seeded weights, in which every counter of batches is 7.
void WriteCheckpoint(const CatalogEntry& entry, const std::string& path) {
  const absl::StatusOr<ModuleTree> tree = BuildModuleTree(entry.plugin->library, entry.variant->module);
  ASSERT_OK(tree);
  const Checkpoint seeded = MakeSeededCheckpoint(PublishedKeys(entry.plugin->key_map, *tree), 0);
  nlohmann::ordered_json header;
  std::string data;
  for (const CheckpointTensor& tensor : seeded.state_dicts()[0].tensors) {
    const size_t begin = data.size();
    if (tensor.dtype == DType::kInt64) {
      absl::StrAppend(&data, absl::string_view("\7\0\0\0\0\0\0\0", 8));
    } else {
      absl::StrAppend(&data, seeded.storages()[tensor.storage].bytes);
    }
    header[tensor.key] = {{"dtype", tensor.dtype == DType::kInt64 ? "I64" : "F32"},
                          {"shape", tensor.shape},
                          {"data_offsets", {begin, data.size()}}};
  }
  std::ofstream(path, std::ios::binary) << SafetensorsFile(header.dump(), data);
}

TEST(ResNetCheckpointTest, CountersOfACheckpointAreExportedAndVerified) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
  ASSERT_OK_AND_ASSIGN(const CatalogEntry entry, registry.Find("tiny_resnet"));
  const std::string folder = std::getenv("TEST_TMPDIR");
  ExportOptions options;
  options.request.entry = entry;
  const std::string checkpoint = folder + "/tiny_resnet.safetensors";
  WriteCheckpoint(entry, checkpoint);
  options.request.weights = CheckpointFiles{{checkpoint}};
  for (const DType dtype : {DType::kFloat32, DType::kFloat16}) {
    options.request.dtype = dtype;
    options.out = absl::StrCat(folder, "/counted_", DTypeName(dtype), ".pt");
    ASSERT_OK(ExportModel(registry, options));
    const torch::jit::Module module = torch::jit::load(options.out);
    EXPECT_EQ(module.attr("bn1").toModule().attr("num_batches_tracked").toTensor().item<int64_t>(), 7);
    EXPECT_OK(VerifyArtifact(registry, options.out, /*checkpoints=*/{}));
    EXPECT_OK(VerifyArtifact(registry, options.out, {checkpoint}));
  }
}

}  // namespace
}  // namespace modelport
