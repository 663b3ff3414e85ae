#include "tests/layers/transform_module.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <memory>
#include <utility>

#include "absl/types/span.h"
#include "common/checkpoint/seeded.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "common/torchscript/archive/module_archive.h"
#include "common/torchscript/runtime/operators.h"
#include "common/torchscript/runtime/runtime.h"
#include "common/torchscript/script/compiler.h"
#include "common/torchscript/script/torch_status.h"
#include "models/built_in_plugins.h"
#include "registry/link_plugins.h"
#include "registry/plugin_folder.h"

namespace modelport {
namespace {

absl::StatusOr<std::shared_ptr<const ModuleLibrary>> Library(const std::string& types) {
  static const auto* const plugins = new absl::StatusOr<std::vector<std::unique_ptr<const Plugin>>>(
      LinkPlugins(GroupByFolder(BuiltInPlugins().value()), {}));
  RETURN_IF_ERROR(plugins->status());
  auto library = std::make_shared<ModuleLibrary>();
  for (const auto& plugin : **plugins) {
    if (plugin->family == "transforms") RETURN_IF_ERROR(library->Include(*plugin->library));
  }
  if (!types.empty()) RETURN_IF_ERROR(library->AddFile({"types.yaml", types}));
  return library;
}

}  // namespace

absl::StatusOr<torch::jit::Module> BuildTransform(const std::string& call, const Runtime* runtime,
                                                  const std::string& types) {
  ASSIGN_OR_RETURN(const auto library, Library(types));
  ASSIGN_OR_RETURN(const Call parsed, ParseCall(call));
  ASSIGN_OR_RETURN(const ModuleTree tree, BuildModuleTree(library, parsed));
  ASSIGN_OR_RETURN(torch::jit::Module module, BuildModule(tree, {}, OperatorsOf(runtime)));
  if (runtime != nullptr) RETURN_IF_ERROR(CheckRuntime(*runtime, FormatFor(*runtime), CollectOperators(module)));
  return module;
}

absl::StatusOr<torch::jit::Module> SavedAndLoaded(const torch::jit::Module& module, const Runtime* runtime) {
  ASSIGN_OR_RETURN(const std::shared_ptr<ArchivePieces> archive, MakeArchive(module, runtime, {}));
  return CatchTorch([&] { return torch::jit::load(archive, at::kCPU); });
}

at::Tensor SeededImage(const std::vector<int64_t>& shape, at::ScalarType dtype) {
  at::Tensor values = at::empty(shape, at::kFloat);
  SeededFill("input:transform", 0, 0.5, 0.5, absl::MakeSpan(values.mutable_data_ptr<float>(), values.numel()));
  return dtype == at::kByte ? (values * 256).floor().to(at::kByte) : values.to(dtype);
}

}  // namespace modelport
