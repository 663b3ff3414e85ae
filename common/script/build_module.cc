#include "common/script/build_module.h"

#include <utility>

#include "common/script/compiler.h"
#include "common/script/ivalue.h"
#include "common/script/torch_status.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

using torch::jit::Module;

absl::StatusOr<Module> Instantiate(Compiler& compiler, const ModuleNode& node, const std::vector<at::Tensor>& tensors) {
  ASSIGN_OR_RETURN(const c10::ClassTypePtr type, compiler.ClassFor(node));
  Module module(compiler.unit(), type);
  for (const auto& parameter : node.parameters) module.setattr(parameter.name, tensors[parameter.slot]);
  for (const auto& buffer : node.buffers) module.setattr(buffer.name, tensors[buffer.slot]);
  for (const auto& [name, value] : node.attributes) module.setattr(name, ToIValue(value));
  for (const ModuleNode::Child& child : node.children) {
    ASSIGN_OR_RETURN(const Module submodule, Instantiate(compiler, *child.node, tensors));
    module.setattr(child.name, submodule._ivalue());
  }
  return module;
}

}  // namespace

absl::StatusOr<Module> BuildModule(const ModuleTree& tree, const std::vector<at::Tensor>& tensors,
                                   HasOperator has_operator) {
  Compiler compiler(std::move(has_operator));
  RETURN_IF_ERROR(compiler.AddFunctions(tree.library->functions()));
  ASSIGN_OR_RETURN(Module module, Instantiate(compiler, tree.root, tensors));
  return module;
}

}  // namespace modelport
