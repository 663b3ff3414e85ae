#include "common/torchscript/script/keep_method.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>

#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/torchscript/script/graph_operators.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

using torch::jit::Function;
using torch::jit::Node;

// The functions that a method calls, directly or through others, and the method itself.
class Reached {
 public:
  void Add(Function& function) {
    if (!functions_.insert(&function).second) return;
    ForEachNode(*torch::jit::toGraphFunction(function).graph()->block(), [this](const Node& node) { AddCallee(node); });
  }

  bool Contains(const Function* function) const { return functions_.count(function) > 0; }

 private:
  void AddCallee(const Node& node) {
    if (node.kind() == torch::jit::prim::CallMethod) {
      Add(node.input(0)->type()->expectRef<c10::ClassType>().getMethod(node.s(torch::jit::attr::name)));
    } else if (node.kind() == torch::jit::prim::CallFunction) {
      Add(*node.input(0)->type()->expectRef<c10::FunctionType>().function());
    }
  }

  std::set<const Function*> functions_;
};

void RemoveOthers(const torch::jit::Module& module, const std::string& name) {
  Reached reached;
  reached.Add(module.type()->getMethod(name));
  for (const torch::jit::Module& submodule : module.modules()) {
    const c10::ClassTypePtr type = submodule.type();
    const std::vector<Function*> methods = type->methods();
    for (const Function* method : methods) {
      if (!reached.Contains(method)) type->unsafeRemoveMethod(method->name());
    }
  }
}

}  // namespace

absl::Status KeepMethod(const torch::jit::Module& module, const std::string& name) {
  if (module.type()->findMethod(name) == nullptr) return absl::NotFoundError(absl::StrCat("no method ", name));
  return CatchTorch([&] { RemoveOthers(module, name); });
}

}  // namespace modelport
