#include "common/torchscript/lint/lint.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/status/status_macros.h"
#include "common/torchscript/lint/rules.h"
#include "common/torchscript/lint/trace.h"
#include "common/torchscript/runtime/operators.h"
#include "common/torchscript/runtime/runtime_obstacles.h"
#include "common/torchscript/script/graph_operators.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

using torch::jit::Block;
using torch::jit::Node;
using torch::jit::Value;

constexpr LintRule<LintSubject> kRules[] = {
    {"attribute type", CheckAttributeTypes},
    {"device", CheckDevices},
    {"half", CheckHalf},
    {"float64", CheckFloat64},
    {"in place", CheckInPlaceWrites},
    {"fixed size", CheckFixedSizes},
    {"quantised", CheckQuantised},
    {"operator", CheckUnknownOperators},
    {"runtime", CheckRuntimeObstacles},
};

// Collects findings and merges those that differ only in their modules.
class MergedFindings {
 public:
  void Add(Finding finding) {
    const auto [place, is_new] = places_.try_emplace(
        std::make_tuple(finding.rule, finding.line.place, finding.line.text, finding.message, finding.cure),
        findings_.size());
    const std::vector<std::string> modules = std::move(finding.modules);
    finding.modules.clear();
    if (is_new) findings_.push_back(std::move(finding));
    for (const std::string& module : modules) {
      if (modules_.emplace(place->second, module).second) findings_[place->second].modules.push_back(module);
    }
  }

  std::vector<Finding> Take() && { return std::move(findings_); }

 private:
  using Key = std::tuple<std::string, std::string, std::string, std::string, std::string>;

  std::vector<Finding> findings_;
  absl::flat_hash_map<Key, size_t> places_;  // The index in findings_ of each key.
  absl::flat_hash_set<std::pair<size_t, std::string>> modules_;
};

std::vector<Finding> RunRules(const LintSubject& subject, absl::Span<const HostRule> host_rules) {
  MergedFindings merged;
  for (Finding& finding : CheckRules(host_rules, subject.module)) merged.Add(std::move(finding));
  for (Finding& finding : CheckRules(absl::MakeConstSpan(kRules), subject)) merged.Add(std::move(finding));
  return std::move(merged).Take();
}

constexpr size_t kMaxParts = 1000;

bool IsNamedOnce(const c10::Type& type) {
  return type.kind() == c10::TypeKind::ClassType || type.kind() == c10::TypeKind::InterfaceType;
}

class TypeSizes {
 public:
  absl::Status CheckBlock(const Block& block) {
    for (const Value* input : block.inputs()) RETURN_IF_ERROR(Check(*input, *block.param_node()));
    for (const Node* node : block.nodes()) {
      for (const Value* output : node->outputs()) RETURN_IF_ERROR(Check(*output, *node));
      for (const Block* inner : node->blocks()) RETURN_IF_ERROR(CheckBlock(*inner));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Check(const Value& value, const Node& node) {
    if (Parts(*value.type(), 0) <= kMaxParts) return absl::OkStatus();
    const SourceLine line = FindSourceLine(node.sourceRange());
    return absl::ResourceExhaustedError(absl::StrCat(line.place, line.place.empty() ? "" : ": ",
                                                     "a type has more than ", kMaxParts,
                                                     " parts\n  nest fewer tuples, or put them into a class"));
  }

  // The number of parts of `type`, which is nested `depth` levels deep; kMaxParts + 1 if it has more parts or levels.
  size_t Parts(const c10::Type& type, size_t depth) {
    if (depth > kMaxParts) return kMaxParts + 1;
    if (IsNamedOnce(type)) return 1;
    if (const auto known = parts_.find(&type); known != parts_.end()) return known->second;
    size_t parts = 1;
    for (const c10::TypePtr& inner : type.containedTypes()) {
      parts = std::min(parts + Parts(*inner, depth + 1), kMaxParts + 1);
    }
    return parts_[&type] = parts;
  }

  absl::flat_hash_map<const c10::Type*, size_t> parts_;
};

}  // namespace

absl::StatusOr<LintResult> Lint(const torch::jit::Module& module, const ArchiveFormat& format,
                                const LintOptions& options) {
  RETURN_IF_ERROR(CheckTypeSizes(module));
  ASSIGN_OR_RETURN(const std::vector<Operator> operators, CatchTorch([&] { return CollectOperators(module); }));
  ASSIGN_OR_RETURN(const Trace trace, TraceForward(module));
  return CatchTorch([&] {
    return LintResult{
        RunRules({module, trace, operators, format, options.runtime, options.unknown_operators}, options.host_rules),
        MinimumRuntime(format, operators)};
  });
}

absl::Status CheckTypeSizes(const torch::jit::Module& module) {
  TypeSizes sizes;
  for (torch::jit::Function* function : module._ivalue()->compilation_unit()->get_functions()) {
    auto* graph_function = torch::jit::tryToGraphFunction(*function);
    if (graph_function != nullptr) RETURN_IF_ERROR(sizes.CheckBlock(*graph_function->graph()->block()));
  }
  return absl::OkStatus();
}

}  // namespace modelport
