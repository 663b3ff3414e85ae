#include "tests/support/exported_module.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/canonicalize.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "artifact/build/target_tree.h"
#include "artifact/export/export_model.h"
#include "common/status/status_macros.h"
#include "common/torchscript/archive/module_archive.h"
#include "common/torchscript/parity/reference.h"
#include "common/torchscript/proof/compare_outputs.h"
#include "common/torchscript/script/torch_status.h"
#include "registry/plugin.h"
#include "targets/targets.h"

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

// `text` without the names of classes, which depend on what was compiled before.
std::string WithoutClasses(absl::string_view text) {
  constexpr absl::string_view kBegin = "__torch__";
  const auto is_of_name = [](char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.'; };
  std::string rest;
  for (size_t at; (at = text.find(kBegin)) != text.npos;) {
    absl::StrAppend(&rest, text.substr(0, at));
    text.remove_prefix(at + kBegin.size());
    while (!text.empty() && is_of_name(text.front())) text.remove_prefix(1);
  }
  return absl::StrCat(rest, text);
}

// The text of a graph and of all functions that it calls. The names of values, too, depend on what was compiled before.
std::string TextOf(const std::shared_ptr<Graph>& graph, std::set<const Function*>* seen) {
  const std::shared_ptr<Graph> plain = torch::jit::Canonicalize(graph, /*keep_unique_names=*/false);
  std::string text = WithoutClasses(plain->toString(/*print_source_locations=*/false));
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

absl::StatusOr<torch::jit::Module> ExportSeeded(const Registry& registry, const std::string& model, uint64_t seed,
                                                const std::function<void(ExportOptions&)>& change) {
  ExportOptions options;
  ASSIGN_OR_RETURN(options.request.entry, registry.Find(model));
  options.request.weights = Seeded{seed};
  options.out = absl::StrCat(std::getenv("TEST_TMPDIR"), "/", model, ".pt");
  options.prove = false;
  change(options);
  RETURN_IF_ERROR(ExportModel(registry, options).status());
  absl::StatusOr<torch::jit::Module> module = LoadModule(options.out);
  // The files are large, and the module has its own copy of the weights.
  std::filesystem::remove(options.out);
  return module;
}

absl::StatusOr<torch::jit::Module> ExportSeeded(const Registry& registry, const std::string& model, uint64_t seed,
                                                const std::string& target) {
  ASSIGN_OR_RETURN(const Target* known, FindTarget(target));
  return ExportSeeded(registry, model, seed, [&](ExportOptions& options) { options.request.target = known; });
}

absl::StatusOr<Artifact> BuildWithoutWeights(const ArtifactRequest& request) {
  ASSIGN_OR_RETURN(TargetTree tree, BuildTargetTree(request));
  const std::vector<at::Tensor> no_weights(tree.whole->slots.size(), at::zeros({0}));
  return BuildArtifact(request, {std::move(tree), {.bound = {{no_weights, {}}}}});
}

absl::StatusOr<std::vector<c10::IValue>> FirstExample(const Registry& registry, const std::string& model,
                                                      const Module& module) {
  ASSIGN_OR_RETURN(const CatalogEntry entry, registry.Find(model));
  ASSIGN_OR_RETURN(const std::vector<Call> examples, ExamplesOf(*entry.plugin, *entry.variant));
  return ExampleInputs(module, examples.front());
}

std::string ErrorOfForward(Module module, const std::vector<c10::IValue>& arguments) {
  const c10::InferenceMode inference;
  return std::string(CatchTorch([&] { return module.forward(arguments); }).status().message());
}

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
