#include "tests/nuke_model.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include "absl/strings/match.h"
#include "absl/types/span.h"
#include "common/checkpoint/seeded.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "models/embedded_plugins.h"
#include "registry/registry.h"
#include "targets/targets.h"
#include "tests/exported_module.h"
#include "tests/test_models.h"

namespace modelport {
namespace {

using torch::jit::Module;

NukeModel Export(const std::string& name) {
  torch::jit::setGraphExecutorOptimize(false);
  at::set_num_threads(1);
  static const auto* registry = new absl::StatusOr<Registry>(Registry::Load(EmbeddedPlugins(), {"models"}));
  EXPECT_THAT(*registry, IsOk());
  const NukeTestModel model = FindNukeTestModel(name);
  absl::StatusOr<Module> nuke = ExportSeeded(**registry, model.model, /*seed=*/0, [&](ExportOptions& options) {
    options.target = *FindTarget("nuke");
    options.wrapper = model.wrapper;
  });
  absl::StatusOr<Module> plain = ExportSeeded(**registry, model.model, /*seed=*/0);
  EXPECT_THAT(nuke, IsOk());
  EXPECT_THAT(plain, IsOk());
  return {name, *std::move(nuke), *std::move(plain)};
}

// The map of features, of DINOv2 that of the last block.
at::Tensor Features(const Module& plain, const at::Tensor& images) {
  const auto layers = plain.find_method("get_intermediate_layers");
  if (!layers) return plain.get_method("image_features")({images}).toTensor();
  const c10::IValue last = (*layers)({images, std::vector<int64_t>{3}, true, true, true});
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
  if (FindsCamera(name)) return rgb.slice(1, 0, 3);
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
  if (FindsCamera(name)) return plain.get_method("image_depth")({normalised}).toTensor().unsqueeze(1);
  if (plain.find_method("image_features")) {
    const at::Tensor features = Features(plain, normalised).slice(1, 0, 4).contiguous();
    return at::upsample_bilinear2d(features, normalised.sizes().slice(2), /*align_corners=*/false);
  }
  if (IsDepther(name)) return plain.get_method("forward")({normalised}).toTensor();
  const auto forward = plain.get_method("forward");
  std::vector<at::Tensor> depths;
  for (const at::Tensor& image : normalised.split(1)) {
    const bool takes_views = name != "tiny_dav2" && name != "tiny_dav2_metric";
    const c10::IValue output = forward({takes_views ? image.unsqueeze(0) : image});
    depths.push_back(takes_views ? output.toGenericDict().at("depth").toTensor() : output.toTensor().unsqueeze(0));
  }
  return at::cat(depths);
}

NukeModel GetNukeModel(const std::string& name) {
  static auto* models = new std::map<std::string, NukeModel>();
  auto found = models->find(name);
  if (found == models->end()) found = models->emplace(name, Export(name)).first;
  return {name, found->second.nuke.deepcopy(), found->second.plain.deepcopy()};
}

at::Tensor SeededImage(int64_t batch, int64_t channels, int64_t height, int64_t width) {
  at::Tensor image = at::empty({batch, channels, height, width});
  SeededFill("nuke", /*seed=*/0, /*center=*/0.5, /*spread=*/0.5,
             absl::MakeSpan(image.mutable_data_ptr<float>(), image.numel()));
  return image;
}

bool IsNormals(const std::string& name) { return absl::EndsWith(name, "_normals"); }

bool FindsCamera(const std::string& name) { return absl::StartsWith(name, "tiny_moge"); }

bool IsDepther(const std::string& name) { return name == "tiny_ld4" || name == "tiny_dd"; }

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
