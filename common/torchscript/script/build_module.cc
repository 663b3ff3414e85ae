#include "common/torchscript/script/build_module.h"

#include <torch/csrc/jit/api/module.h>

#include <string>
#include <utility>

#include "common/status/status_macros.h"
#include "common/torchscript/script/called_names.h"
#include "common/torchscript/script/compiler.h"
#include "common/torchscript/script/ivalue.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

using torch::jit::Module;

absl::StatusOr<Module> Instantiate(Compiler& compiler, const ModuleNode& node, const std::vector<at::Tensor>& tensors) {
  ASSIGN_OR_RETURN(const c10::ClassTypePtr type, compiler.ClassFor(node));
  std::vector<Module> submodules;
  for (const ModuleNode::Child& child : node.children) {
    ASSIGN_OR_RETURN(submodules.emplace_back(), Instantiate(compiler, *child.node, tensors));
  }
  return CatchTorch([&] {
    Module module(compiler.unit(), type);
    for (const auto& parameter : node.parameters) module.setattr(parameter.name, tensors[parameter.slot]);
    for (const auto& buffer : node.buffers) module.setattr(buffer.name, tensors[buffer.slot]);
    module.setattr(kTrainingName, false);
    for (const auto& [name, value] : node.attributes) module.setattr(name, ToIValue(value));
    for (size_t i = 0; i < submodules.size(); ++i) module.setattr(node.children[i].name, submodules[i]._ivalue());
    return module;
  });
}

}  // namespace

absl::StatusOr<Module> BuildModule(const ModuleTree& tree, const std::vector<at::Tensor>& tensors,
                                   HasOperator has_operator) {
  Compiler compiler(std::move(has_operator));
  const auto called = CalledNames(tree);
  const absl::Status compiled =
      compiler.AddFunctions(tree.library->functions(), [&](const std::string& name) { return called.contains(name); });
  absl::StatusOr<Module> module = compiled.ok() ? Instantiate(compiler, tree.root, tensors) : compiled;
  if (module.ok()) return module;
  return absl::Status(module.status().code(), tree.library->WithPaths(module.status().message()));
}

}  // namespace modelport
