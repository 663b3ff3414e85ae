#include "tests/nuke/nuke_model.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/upsample_bilinear2d.h>
#include <c10/core/InferenceMode.h>
#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "common/checkpoint/seeded.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "targets/targets.h"
#include "tests/support/case_table.h"
#include "tests/support/exported_module.h"
#include "tests/support/test_models.h"

namespace modelport {
namespace {

using torch::jit::Module;

const Registry& TestRegistry() {
  static const auto* registry = new absl::StatusOr<Registry>(Registry::Load(BuiltInPlugins(), {"models"}));
  EXPECT_THAT(*registry, IsOk());
  return **registry;
}

// The tree of the model that the artifact `name` is made from.
const ModuleTree& TreeOf(const std::string& name) {
  static auto* trees = new std::map<std::string, ModuleTree>();
  const auto found = trees->find(name);
  if (found != trees->end()) return found->second;
  const auto entry = TestRegistry().Find(FindNukeTestModel(name).model);
  EXPECT_THAT(entry, IsOk());
  auto tree = BuildModuleTree(entry->plugin->library, entry->variant->module);
  EXPECT_THAT(tree, IsOk());
  return trees->emplace(name, *std::move(tree)).first->second;
}

// What the plugin states of an argument or a part of the result of `method`; null if there is none of this name.
const Port* StatedPort(const std::string& name, const std::string& method, std::vector<Port> EntryPoint::*ports,
                       const std::string& port) {
  const EntryPoint* const entry_point = FindEntryPoint(TreeOf(name).entry_points, method);
  return entry_point == nullptr ? nullptr : FindPort(entry_point->*ports, port);
}

// Whether `node` or a module below it has the constant `name`.
bool HasConstant(const ModuleNode& node, const std::string& name) {
  return std::any_of(node.constants.begin(), node.constants.end(),
                     [&](const auto& constant) { return constant.first == name; }) ||
         std::any_of(node.children.begin(), node.children.end(),
                     [&](const ModuleNode::Child& child) { return HasConstant(*child.node, name); });
}

// The seed of a model's weights: 0, or that of its family's table nuke.txt, whose field weights is seeded:SEED.
uint64_t SeedOf(const std::string& model) {
  static const auto* const seeds = [] {
    auto* const named = new std::map<std::string, uint64_t>;
    for (const std::string& path : FamilyFiles("nuke.txt")) {
      for (const Case& fields : ReadCaseTable(path)) {
        const std::string weights(absl::StripPrefix(Text(fields, "weights"), "seeded:"));
        for (const std::string& name : Texts(fields, "model")) (*named)[name] = std::stoull(weights);
      }
    }
    return named;
  }();
  const auto seed = seeds->find(model);
  return seed == seeds->end() ? 0 : seed->second;
}

NukeModel Export(const std::string& name) {
  torch::jit::setGraphExecutorOptimize(false);
  at::set_num_threads(1);
  const NukeTestModel model = FindNukeTestModel(name);
  const uint64_t seed = SeedOf(model.model);
  absl::StatusOr<Module> nuke = ExportSeeded(TestRegistry(), model.model, seed, [&](ExportOptions& options) {
    options.request.target = *FindTarget("nuke");
    options.request.wrapper = model.wrapper;
  });
  absl::StatusOr<Module> plain = ExportSeeded(TestRegistry(), model.model, seed);
  EXPECT_THAT(nuke, IsOk());
  EXPECT_THAT(plain, IsOk());
  return {name, *std::move(nuke), *std::move(plain)};
}

// The map of features; of a transformer, that of the last block.
at::Tensor Features(const Module& plain, const at::Tensor& images) {
  const auto layers = plain.find_method("get_intermediate_layers");
  if (!layers) return plain.get_method("image_features")({images}).toTensor();
  const int64_t blocks = static_cast<int64_t>(plain.attr("blocks").toModule().children().size());
  const c10::IValue last = (*layers)({images, std::vector<int64_t>{blocks - 1}, true, true, true});
  return last.toListRef()[0].toTupleRef().elements()[0].toTensor();
}

}  // namespace

at::Tensor NukeModel::Run(const at::Tensor& image) const {
  const c10::InferenceMode inference;
  return nuke.get_method("forward")({image}).toTensor();
}

at::Tensor NukeModel::Run(const at::Tensor& image, const std::map<std::string, c10::IValue>& knobs) {
  for (const auto& [knob, value] : knobs) nuke.setattr(knob, value);
  return Run(image);
}

int64_t NukeModel::multiple_of() const { return nuke.attr("multiple_of").toInt(); }

at::Tensor NukeModel::Normalised(const at::Tensor& rgb) const {
  if (StatedPort(name, "forward", &EntryPoint::inputs, "x")->image == "unit") return rgb.slice(1, 0, 3);
  const at::Tensor red = rgb.slice(1, 0, 1), green = rgb.slice(1, 1, 2), blue = rgb.slice(1, 2, 3);
  return at::cat({(red - 0.485) / 0.229, (green - 0.456) / 0.224, (blue - 0.406) / 0.225}, 1);
}

at::Tensor NukeModel::RunPlain(const at::Tensor& normalised) const {
  const c10::InferenceMode inference;
  if (IsNormals(name)) {
    const at::Tensor normals = plain.get_method("image_normals")({normalised}).toTensor();
    return at::cat({normals.slice(1, 0, 1), -normals.slice(1, 1, 3)}, 1);
  }
  if (IsClassMap(name)) {
    const at::Tensor scores = plain.get_method("image_classes")({normalised}).toTensor().softmax(1).slice(1, 0, 1);
    return at::upsample_bilinear2d(scores.contiguous(), normalised.sizes().slice(2), /*align_corners=*/false);
  }
  if (plain.find_method("image_features")) {
    const at::Tensor features = Features(plain, normalised).slice(1, 0, 4).contiguous();
    return at::upsample_bilinear2d(features, normalised.sizes().slice(2), /*align_corners=*/false);
  }
  const bool takes_views = StatedPort(name, "forward", &EntryPoint::inputs, "x")->shape->size() == 5;
  const auto method = plain.get_method(FindsCamera(name) ? "image_depth" : "forward");
  std::vector<at::Tensor> depths;
  for (const at::Tensor& image : normalised.split(1)) {
    const c10::IValue output = method({takes_views ? image.unsqueeze(0) : image});
    const at::Tensor depth = output.isTensor() ? output.toTensor() : output.toGenericDict().at("depth").toTensor();
    depths.push_back(depth.reshape({1, 1, image.size(2), image.size(3)}));
  }
  return at::cat(depths);
}

NukeModel GetNukeModel(const std::string& name) {
  static auto* models = new std::map<std::string, NukeModel>();
  auto found = models->find(name);
  if (found == models->end()) found = models->emplace(name, Export(name)).first;
  return {name, found->second.nuke.deepcopy(), found->second.plain.deepcopy()};
}

NukeModel Half(NukeModel model) {
  model.nuke = model.nuke.deepcopy();
  model.nuke.to(at::kHalf);
  return model;
}

std::string SavedCode(const torch::jit::Module& module) {
  const std::string path = testing::TempDir() + "/code.pt";
  module.save(path);
  caffe2::serialize::PyTorchStreamReader reader(path);
  std::string code;
  for (const std::string& record : reader.getAllRecords()) {
    if (!absl::EndsWith(record, ".py")) continue;
    const auto [data, size] = reader.getRecord(record);
    code.append(static_cast<const char*>(data.get()), size);
  }
  return code;
}

at::Tensor SeededImage(int64_t batch, int64_t channels, int64_t height, int64_t width) {
  at::Tensor image = at::empty({batch, channels, height, width});
  SeededFill("nuke", /*seed=*/0, /*center=*/0.5, /*spread=*/0.5,
             absl::MakeSpan(image.mutable_data_ptr<float>(), image.numel()));
  return image;
}

bool IsNormals(const std::string& name) { return absl::EndsWith(name, "_normals"); }

const Port* FindDepth(const std::string& name) {
  const Port* const depth = StatedPort(name, "forward", &EntryPoint::outputs, "depth");
  return depth != nullptr ? depth : StatedPort(name, "image_depth", &EntryPoint::outputs, "depth");
}

bool FindsCamera(const std::string& name) {
  return FindDepth(name) != nullptr && StatedPort(name, "forward", &EntryPoint::outputs, "depth") == nullptr;
}

bool HasNearestDepth(const std::string& name) {
  const Port* const depth = FindDepth(name);
  return depth != nullptr && depth->min.value_or(0) > 0;
}

bool FillsSky(const std::string& name) { return HasConstant(TreeOf(name).root, "sky_threshold"); }

bool IsClassMap(const std::string& name) { return absl::EndsWith(name, "_classes"); }

double PartOfLargest(const at::Tensor& expected, const at::Tensor& actual) {
  EXPECT_EQ(expected.sizes(), actual.sizes());
  const at::Tensor wide = expected.to(at::kDouble);
  return (actual.to(at::kDouble) - wide).abs().max().item<double>() / wide.abs().max().clamp_min(1e-3).item<double>();
}

double RelativeDifference(const at::Tensor& expected, const at::Tensor& actual) {
  EXPECT_EQ(expected.sizes(), actual.sizes());
  const at::Tensor wide = expected.to(at::kDouble);
  const double range = (wide.max() - wide.min()).item<double>();
  EXPECT_GT(range, 0);
  return (actual.to(at::kDouble) - wide).abs().max().item<double>() / range;
}

}  // namespace modelport
