// Compares the CPU time of one image in an any-view model with that of the same model whose any-view parts are switched
// off: no attention across views, no camera tokens, no normalised and rotated queries and keys.
#include <ATen/Parallel.h>
#include <ATen/ops/rand.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "bench/measure.h"
#include "common/status/status_macros.h"
#include "common/torchscript/script/compiler.h"
#include "common/torchscript/script/torch_status.h"
#include "common/torchscript/weights/weights.h"
#include "models/built_in_plugins.h"
#include "registry/recognise/map_weights.h"
#include "registry/recognise/recognise_model.h"
#include "registry/registry.h"
#include "tools/command/command.h"
#include "tools/command/flags.h"

namespace modelport {
namespace {

struct OneViewFlags {
  FlagGroup group;
  Flag<std::string> model{group, "model", "da3_small", "an any-view model"};
  Flag<int> height{group, "height", 280, "of the image, a multiple of 14"};
  Flag<int> width{group, "width", 504, "of the image, a multiple of 14"};
  Flag<int> rounds{group, "rounds", 15, "how many times each of the two runs; they take turns"};
};

// A model with seeded weights, ready to run.
struct Network {
  ModuleTree tree;
  std::vector<MappedPart> weights;  // One.
  BoundTensors bound;               // Borrows from `weights`.
  torch::jit::Module module;
};

absl::StatusOr<Network> MakeNetwork(const Registry& registry, const CatalogEntry& entry) {
  ASSIGN_OR_RETURN(ModuleTree tree, BuildModuleTree(entry.plugin->library, entry.variant->module));
  ASSIGN_OR_RETURN(std::vector<MappedPart> weights, MapWeights(FittingHint(registry), entry, tree, Seeded{0}));
  ASSIGN_OR_RETURN(BoundTensors bound, BindTensors(weights[0].checkpoint, weights[0].plan, tree, DType::kFloat32));
  ASSIGN_OR_RETURN(torch::jit::Module module, BuildModule(tree, bound.tensors));
  return Network{std::move(tree), std::move(weights), std::move(bound), std::move(module)};
}

// The same variant with alt_start = depth, so that no block attends across views.
absl::StatusOr<Variant> WithoutAnyView(Variant variant) {
  auto& arguments = variant.module.named;
  const auto find = [&](const std::string& name) {
    return std::find_if(arguments.begin(), arguments.end(), [&](const auto& named) { return named.first == name; });
  };
  const auto depth = find("depth"), alt_start = find("alt_start");
  if (depth == arguments.end() || alt_start == arguments.end()) {
    return absl::InvalidArgumentError("--model: wants an any-view model, which has the arguments depth and alt_start");
  }
  alt_start->second = depth->second;
  return variant;
}

absl::StatusOr<double> TimeForward(torch::jit::Module& module, const at::Tensor& image) {
  const double start = CpuSeconds();
  RETURN_IF_ERROR(CatchTorch([&] { module.forward({image}); }));
  return CpuSeconds() - start;
}

absl::Status Run(const OneViewFlags& flags) {
  ASSIGN_OR_RETURN(const Registry registry, Registry::Load(BuiltInPlugins(), {}));
  ASSIGN_OR_RETURN(const CatalogEntry entry, registry.Find(*flags.model));
  ASSIGN_OR_RETURN(const Variant off, WithoutAnyView(*entry.variant));
  ASSIGN_OR_RETURN(Network any_view, MakeNetwork(registry, entry));
  ASSIGN_OR_RETURN(Network single, MakeNetwork(registry, {entry.plugin, &off}));

  at::set_num_threads(1);
  const c10::InferenceMode inference;
  const at::Tensor image = at::rand({1, 1, 3, *flags.height, *flags.width});
  // The first two passes profile and compile.
  constexpr int kWarmUp = 2;
  std::vector<double> any_view_times, single_times;
  for (int round = -kWarmUp; round < *flags.rounds; ++round) {
    ASSIGN_OR_RETURN(const double with, TimeForward(any_view.module, image));
    ASSIGN_OR_RETURN(const double without, TimeForward(single.module, image));
    if (round < 0) continue;
    any_view_times.push_back(with);
    single_times.push_back(without);
  }
  const double with = Median(any_view_times), without = Median(single_times);
  std::cout << absl::StreamFormat("%s, one image of %d x %d, %d rounds in turn, one thread, CPU time, median\n",
                                  entry.variant->name, *flags.height, *flags.width, *flags.rounds)
            << absl::StreamFormat(
                   "as it is            %.3f s\nwithout any-view    %.3f s\nratio               %.3f x\n", with,
                   without, with / without);
  return absl::OkStatus();
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  return modelport::RunTool(argc, argv,
                            {.name = "one_view",
                             .summary = "Measures what one image costs in an any-view model.",
                             .begin = modelport::TakesFlags<modelport::OneViewFlags>(modelport::Run)});
}
