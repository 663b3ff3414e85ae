#ifndef MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_PLUGIN_RESOLVER_H_
#define MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_PLUGIN_RESOLVER_H_

#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/frontend/resolver.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "common/torchscript/script/graph_operators.h"

namespace modelport {

// Resolves the free names of a plugin's TorchScript text: `torch` (operators and dtypes such as torch.float32), `math`,
// and the plugin's free functions. hasattr(torch, "silu") is evaluated by the compiler, which leaves out the branch not
// taken. F, nn, torch.nn and other Python modules are errors that name the operator to call.
class PluginResolver : public torch::jit::Resolver {
 public:
  explicit PluginResolver(HasOperator has_operator) : has_operator_(std::move(has_operator)) {}

  // Whether `name` has a meaning in every text, so that a plugin's function of this name could not be called.
  static bool IsReserved(const std::string& name) { return name == "torch" || name == "math"; }

  // Makes `function`, compiled earlier, callable as `name`.
  void AddFunction(const std::string& name, torch::jit::Function* function) { functions_[name] = function; }

  std::shared_ptr<torch::jit::SugaredValue> resolveValue(const std::string& name, torch::jit::GraphFunction& function,
                                                         const torch::jit::SourceRange& range) override;
  torch::jit::TypePtr resolveType(const std::string& name, const torch::jit::SourceRange& range) override;

 private:
  HasOperator has_operator_;
  std::map<std::string, torch::jit::Function*> functions_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_PLUGIN_RESOLVER_H_
