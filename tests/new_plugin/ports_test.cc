// Models with batch normalisation export in every dtype and pass every proof.
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "artifact/export/export_model.h"
#include "common/checkpoint/checkpoint.h"
#include "common/checkpoint/seeded.h"
#include "common/keymap/header_checkpoint.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_matchers.h"
#include "common/tensor/dtype.h"
#include "common/torchscript/proof/compare_outputs.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "tests/manifests/key_list.h"
#include "tests/support/case_table.h"
#include "tests/support/test_models.h"
#include "tools/new_plugin/draft_plugin.h"

namespace modelport {
namespace {

// Whether `slot` is where batch normalisation counts training batches, in int64.
bool IsCounter(const Slot& slot) { return absl::EndsWith(slot.name, "num_batches_tracked"); }

class PortsTest : public testing::TestWithParam<std::string> {
 protected:
  // Exports the model as `dtype`, proves it, and returns the loaded artifact.
  torch::jit::Module Export(DType dtype) {
    const auto registry = Registry::Load(BuiltInPlugins(), {"models"});
    EXPECT_THAT(registry, IsOk());
    const auto entry = registry->Find(GetParam());
    EXPECT_THAT(entry, IsOk());
    ExportOptions options;
    options.request.entry = *entry;
    options.request.dtype = dtype;
    options.out = absl::StrCat(std::getenv("TEST_TMPDIR"), "/", GetParam(), ".pt");
    EXPECT_THAT(ExportModel(*registry, options), IsOk());
    return torch::jit::load(options.out);
  }
};

TEST_P(PortsTest, IntegerBuffersStayIntegersWhateverTheDType) {
  for (const auto& [dtype, type] : {std::pair(DType::kFloat32, at::kFloat), std::pair(DType::kFloat16, at::kHalf)}) {
    const torch::jit::Module module = Export(dtype);
    int counters = 0;
    for (const auto& [name, buffer] : module.named_buffers()) {
      const bool is_counter = absl::EndsWith(name, "num_batches_tracked");
      EXPECT_EQ(buffer.scalar_type(), is_counter ? at::kLong : type) << name;
      if (!is_counter) continue;
      ++counters;
      EXPECT_EQ(buffer.dim(), 0) << name;
      EXPECT_EQ(buffer.item<int64_t>(), 0) << name;
    }
    EXPECT_GT(counters, 0);
    for (const auto& [name, parameter] : module.named_parameters()) EXPECT_EQ(parameter.scalar_type(), type) << name;
  }
}

// What `module` gives for `inputs`, of a dictionary the first.
at::Tensor Output(torch::jit::Module& module, const std::vector<c10::IValue>& inputs) {
  const c10::IValue output = module.forward(inputs);
  return output.isTensor() ? output.toTensor() : output.toGenericDict().begin()->value().toTensor();
}

TEST_P(PortsTest, Freezes) {
  torch::jit::Module module = Export(DType::kFloat32);
  const Registry registry = Registry::Load(BuiltInPlugins(), {"models"}).value();
  const Call& example = registry.Find(GetParam())->plugin->examples.front();
  ASSERT_OK_AND_ASSIGN(const std::vector<c10::IValue> inputs, ExampleInputs(module, example));
  const at::Tensor expected = Output(module, inputs);
  torch::jit::Module frozen = torch::jit::freeze(module);
  EXPECT_EQ(frozen.named_parameters().size(), 0);
  // Normalisations are folded into convolutions, which round otherwise: golden_check.h has the bound.
  const at::Tensor difference = (Output(frozen, inputs) - expected).abs();
  EXPECT_LE(difference.max().item<float>(), 4e-6 * expected.abs().max().item<float>());
}

// The draft of a plugin takes every key, too; a type serves the blocks that differ in sizes only. A family's
// testdata/drafts.txt says how many types a draft has that is made from the keys of a published file.
TEST(PortsKeysTest, ADraftTakesThePublishedKeys) {
  for (const Case& fields : ReadFamilyTables("drafts.txt")) {
    const std::string model = Text(fields, "model");
    const std::vector<SeededKey> keys = ReadKeyList(KeyLists("keys").at(model)).keys;
    const Checkpoint checkpoint = MakeHeaderCheckpoint(model, keys);
    ASSERT_OK_AND_ASSIGN(const PluginDraft draft, DraftPlugin(BuiltInPlugins(), "drafted", checkpoint, absl::nullopt));
    EXPECT_EQ(draft.tensors, static_cast<int64_t>(keys.size()));
    EXPECT_EQ(absl::StrCat(draft.types), Text(fields, "types")) << model;
  }
}

// Those with batch normalisation.
std::vector<std::string> CountingModels() {
  const Registry registry = Registry::Load(BuiltInPlugins(), {"models"}).value();
  std::vector<std::string> models;
  for (const std::string& model : TestModels()) {
    const CatalogEntry entry = registry.Find(model).value();
    const ModuleTree tree = BuildModuleTree(entry.plugin->library, entry.variant->module).value();
    if (std::any_of(tree.slots.begin(), tree.slots.end(), IsCounter)) models.push_back(model);
  }
  return models;
}

INSTANTIATE_TEST_SUITE_P(All, PortsTest, testing::ValuesIn(CountingModels()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace modelport
