// SRVGGNetCompactPair computes what one network computes whose weights are mixed beforehand, as RealESRGANer.dni mixes
// them, at any strength that a call or a knob gives.
#include <ATen/TensorOperators.h>
#include <ATen/ops/rand.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "artifact/export/export_model.h"
#include "common/checkpoint/safetensors_writer.h"
#include "common/checkpoint/seeded.h"
#include "common/keymap/published_keys.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "targets/targets.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

constexpr char kNetwork[] = "tiny_compact", kPair[] = "tiny_compact_pair";
// Of white, or of the range of the output where that is larger: float32 rounds the weights at other places.
constexpr double kTolerance = 1e-5;

const Registry& TestRegistry() {
  static const auto* const registry = new Registry(Registry::Load(BuiltInPlugins(), {"models"}).value());
  return *registry;
}

// A checkpoint of tiny_compact whose weights are `share` times the seeded ones of seed 1, and the rest of seed 2.
std::string WriteNetwork(const std::string& path, float share) {
  const CatalogEntry entry = *TestRegistry().Find(kNetwork);
  const ModuleTree tree = *BuildModuleTree(entry.plugin->library, entry.variant->module);
  std::vector<SafetensorsTensor> headers;
  std::string data;
  for (const SeededKey& key : PublishedKeys(entry.plugin->key_map, tree)) {
    std::vector<float> values(*ElementCount(key.shape)), others(values.size());
    SeededWeights(key.key, key.shape, /*seed=*/1, absl::MakeSpan(values));
    SeededWeights(key.key, key.shape, /*seed=*/2, absl::MakeSpan(others));
    for (size_t i = 0; i < values.size(); ++i) values[i] = share * values[i] + (1 - share) * others[i];
    headers.push_back({key.key, DType::kFloat32, key.shape});
    data.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  }
  std::ofstream(path, std::ios::binary) << SafetensorsHeader(headers, {{"format", "pt"}}) << data;
  return path;
}

class DenoiseTest : public testing::Test {
 protected:
  torch::jit::Module Export(const std::string& model, const std::vector<std::string>& files,
                            const std::string& target = "libtorch") {
    ExportOptions options;
    options.request.entry = *TestRegistry().Find(model);
    options.request.target = *FindTarget(target);
    CheckpointFiles checkpoints;
    for (const std::string& file : files) checkpoints.push_back({file});
    options.request.weights = checkpoints;
    options.out = absl::StrCat(folder_, "/", model, "_", target, ".pt");
    EXPECT_OK(ExportModel(TestRegistry(), options));
    return torch::jit::load(options.out);
  }

  torch::jit::Module Pair(const std::string& target) { return Export(kPair, {strong_, weak_}, target); }

  // What the network of mixed weights gives.
  at::Tensor Expected(float share) {
    return Export(kNetwork, {WriteNetwork(folder_ + "/mixed.safetensors", share)}).forward({image_}).toTensor();
  }

  static void ExpectNear(const at::Tensor& actual, const at::Tensor& expected, double share) {
    const double range = (expected.max() - expected.min()).item<double>();
    EXPECT_LE((actual - expected).abs().max().item<double>(), kTolerance * std::max(range, 1.0)) << share;
  }

  const std::string folder_ = EmptyFolder("denoise");
  const std::string strong_ = WriteNetwork(folder_ + "/strong.safetensors", 1);
  const std::string weak_ = WriteNetwork(folder_ + "/weak.safetensors", 0);
  const at::Tensor image_ = at::rand({1, 3, 20, 31});
};

TEST_F(DenoiseTest, IsTheNetworkOfMixedWeights) {
  torch::jit::Module pair = Pair("libtorch");
  for (const float share : {0.0f, 0.25f, 0.5f, 1.0f}) {
    ExpectNear(pair.forward({image_, static_cast<double>(share)}).toTensor(), Expected(share), share);
  }
  EXPECT_TRUE(pair.forward({image_}).toTensor().equal(pair.forward({image_, 0.5}).toTensor()));
}

TEST_F(DenoiseTest, TheStrengthChangesTheImage) {
  torch::jit::Module pair = Pair("libtorch");
  const at::Tensor weak = pair.forward({image_, 0.0}).toTensor(), strong = pair.forward({image_, 1.0}).toTensor();
  EXPECT_GT((strong - weak).abs().max().item<double>(), 0.01);
}

TEST_F(DenoiseTest, TheNodesKnobIsTheStrength) {
  torch::jit::Module node = Pair("nuke");
  for (const int64_t tile : {0, 8}) {
    node.setattr("tile_size", tile);
    node.setattr("denoise_strength", 0.25);
    ExpectNear(node.forward({image_}).toTensor(), Expected(0.25).clamp(0, 1), 0.25);
  }
  node.setattr("denoise_strength", 7.0);
  ExpectNear(node.forward({image_}).toTensor(), Expected(1).clamp(0, 1), 1);
}

}  // namespace
}  // namespace modelport
