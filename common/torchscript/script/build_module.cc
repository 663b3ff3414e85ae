#include "common/torchscript/script/build_module.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"
#include "common/torchscript/script/compiler.h"
#include "common/torchscript/script/graph_operators.h"
#include "common/torchscript/script/ivalue.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

using Names = absl::flat_hash_set<absl::string_view>;
using torch::jit::Function;
using torch::jit::Module;
using torch::jit::Node;

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

bool IsOfWord(char c) { return absl::ascii_isalnum(c) || c == '_'; }

std::vector<absl::string_view> Words(absl::string_view text) {
  std::vector<absl::string_view> words;
  for (size_t i = 0; i < text.size();) {
    const size_t begin = i;
    while (i < text.size() && IsOfWord(text[i])) ++i;
    if (i > begin) words.push_back(text.substr(begin, i - begin));
    if (i < text.size()) ++i;
  }
  return words;
}

// Nodes of one type have one text.
void AddMethods(const ModuleNode& node, absl::flat_hash_set<const ModuleType*>& seen, Names& names) {
  if (!node.is_list() && seen.insert(node.type).second) {
    for (const absl::string_view word : Words(node.type->methods.text)) names.insert(word);
  }
  for (const ModuleNode::Child& child : node.children) AddMethods(*child.node, seen, names);
}

// Whether one of the functions in the text with these words has one of the names.
bool Defines(const std::vector<absl::string_view>& words, const Names& names) {
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "def" && names.contains(words[i + 1])) return true;
  }
  return false;
}

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

Names CalledNames(const ModuleTree& tree) {
  Names names;
  absl::flat_hash_set<const ModuleType*> seen;
  AddMethods(tree.root, seen, names);
  // A function calls functions before it only.
  const std::vector<SourceText>& functions = tree.library->functions();
  for (auto block = functions.rbegin(); block != functions.rend(); ++block) {
    const std::vector<absl::string_view> words = Words(block->text);
    if (Defines(words, names)) names.insert(words.begin(), words.end());
  }
  return names;
}

absl::Status KeepMethod(const torch::jit::Module& module, const std::string& name) {
  if (module.type()->findMethod(name) == nullptr) return absl::NotFoundError(absl::StrCat("no method ", name));
  return CatchTorch([&] { RemoveOthers(module, name); });
}

}  // namespace modelport
