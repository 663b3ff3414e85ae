#include "tests/parity/different_modules.h"

#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/canonicalize.h>

#include <map>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "common/torchscript/parity/reference.h"

namespace modelport {
namespace {

using torch::jit::Block;
using torch::jit::Function;
using torch::jit::Graph;
using torch::jit::Module;
using torch::jit::Node;

// The functions that the nodes of `block` call, those within its blocks included.
void AddCalled(const Block* block, std::vector<Function*>* called) {
  for (const Node* node : block->nodes()) {
    if (node->kind() == c10::prim::CallFunction) {
      called->push_back(node->input(0)->type()->expect<c10::FunctionType>()->function());
    }
    for (const Block* inner : node->blocks()) AddCalled(inner, called);
  }
}

// The text of a graph and of all functions that it calls, without the names of classes. The names of values depend on
// what was compiled before.
std::string TextOf(const std::shared_ptr<Graph>& graph, std::set<const Function*>* seen) {
  const std::shared_ptr<Graph> plain = torch::jit::Canonicalize(graph, /*keep_unique_names=*/false);
  std::string text =
      std::regex_replace(plain->toString(/*print_source_locations=*/false), std::regex("__torch__[\\w.]*"), "");
  std::vector<Function*> called;
  AddCalled(graph->block(), &called);
  for (Function* function : called) {
    if (seen->insert(function).second) text += TextOf(torch::jit::toGraphFunction(*function).graph(), seen);
  }
  return text;
}

std::string OwnText(const Module& module) {
  std::string text;
  std::set<const Function*> seen;
  for (const torch::jit::Method& method : module.get_methods()) text += TextOf(method.graph(), &seen);
  return text;
}

bool IsSame(const Module& a, const Module& b) {
  if (OwnText(a) != OwnText(b)) return false;
  for (const auto& attribute : a.named_attributes(/*recurse=*/false)) {
    if (!b.hasattr(attribute.name)) return false;
    const c10::IValue other = b.attr(attribute.name);
    if (attribute.value.isTensor() != other.isTensor()) return false;
    if (!attribute.value.isTensor()) continue;
    const at::Tensor left = attribute.value.toTensor(), right = other.toTensor();
    if (left.sizes() != right.sizes() || !left.equal(right)) return false;
  }
  return true;
}

std::map<std::string, Module> ByPath(const Module& module) {
  std::map<std::string, Module> modules;
  for (const auto& submodule : module.named_modules()) modules.emplace(submodule.name, submodule.value);
  return modules;
}

// Adds the paths of `a` that `b` lacks, and of the modules around them.
void AddLacking(const std::map<std::string, Module>& a, const std::map<std::string, Module>& b,
                std::set<std::string>* different) {
  for (const auto& [path, module] : a) {
    if (b.count(path) > 0) continue;
    different->insert(path);
    different->insert(path.substr(0, path.rfind('.') == path.npos ? 0 : path.rfind('.')));
  }
}

}  // namespace

std::set<std::string> DifferentModules(const Module& a, const Module& b) {
  std::set<std::string> different;
  for (const SettingDifference& setting : CompareSettings(FindSettings(a), FindSettings(b)).differences) {
    different.insert(setting.path);
  }
  const std::map<std::string, Module> left = ByPath(a), right = ByPath(b);
  AddLacking(left, right, &different);
  AddLacking(right, left, &different);
  for (const auto& [path, module] : left) {
    const auto other = right.find(path);
    if (other != right.end() && !IsSame(module, other->second)) different.insert(path);
  }
  return different;
}

}  // namespace modelport
