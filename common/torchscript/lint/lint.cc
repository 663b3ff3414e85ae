#include "common/torchscript/lint/lint.h"

#include <ATen/Parallel.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/io/mapped_file.h"
#include "common/sandbox/run_confined.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/torchscript/archive/script_file.h"
#include "common/torchscript/lint/lint_message.pb.h"
#include "common/torchscript/lint/rules.h"
#include "common/torchscript/lint/trace.h"
#include "common/torchscript/runtime/operators.h"
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

std::string Encode(const LintResult& result) {
  LintMessage message;
  message.set_minimum_runtime(result.minimum_runtime);
  for (const Finding& finding : result.findings) {
    LintMessage::Finding& copy = *message.add_findings();
    for (const std::string& module : finding.modules) copy.add_modules(module);
    copy.set_place(finding.line.place);
    copy.set_text(finding.line.text);
    copy.set_message(finding.message);
    copy.set_cure(finding.cure);
    copy.set_rule(finding.rule);
  }
  return message.SerializeAsString();
}

absl::StatusOr<LintResult> Decode(const std::string& bytes) {
  LintMessage message;
  if (!message.ParseFromString(bytes)) return absl::DataLossError("the confined process returned no lint result");
  LintResult result;
  result.minimum_runtime = message.minimum_runtime();
  for (const LintMessage::Finding& finding : message.findings()) {
    result.findings.push_back({.modules = {finding.modules().begin(), finding.modules().end()},
                               .line = {finding.place(), finding.text()},
                               .message = finding.message(),
                               .cure = finding.cure(),
                               .rule = finding.rule()});
  }
  return result;
}

// A file that calls more unknown operators is not for LibTorch.
constexpr size_t kMaxUnknown = 100;

// The operator that LibTorch does not know, if it says so in `status`; else "".
std::string UnknownOperator(const absl::Status& status) {
  constexpr absl::string_view kSays = "Unknown builtin op: ";
  const absl::string_view message = status.message();
  const size_t at = message.find(kSays);
  if (at == message.npos) return "";
  const absl::string_view rest = message.substr(at + kSays.size());
  const auto is_part = [](char c) { return absl::ascii_isalnum(c) || c == '_' || c == ':'; };
  return std::string(rest.begin(), std::find_if_not(rest.begin(), rest.end(), is_part));
}

// Registers an operator that takes anything and returns a tensor, so that LibTorch compiles code that calls it.
absl::Status RegisterStub(const std::string& name) {
  return CatchTorch([&] {
    torch::jit::registerOperator(torch::jit::Operator(
        absl::StrCat(name, "(...) -> Tensor"),
        [name](torch::jit::Stack&) { TORCH_CHECK(false, name, " is not an operator of LibTorch"); },
        c10::AliasAnalysisKind::CONSERVATIVE));
  });
}

// Reads the file with stubs for the operators that LibTorch does not have, which it adds to `unknown`.
absl::StatusOr<ScriptFile> ReadWithStubs(absl::string_view bytes, std::set<std::string>& unknown) {
  while (true) {
    absl::StatusOr<ScriptFile> file = ReadScriptFile(bytes);
    const std::string name = UnknownOperator(file.status());
    if (name.empty() || unknown.size() == kMaxUnknown || !unknown.insert(name).second) return file;
    RETURN_IF_ERROR(RegisterStub(name));
  }
}

absl::StatusOr<std::string> LintBytes(absl::string_view bytes, LintOptions options) {
  // The confined process cannot start threads.
  at::set_num_threads(1);
  ASSIGN_OR_RETURN(const ScriptFile file, ReadWithStubs(bytes, options.unknown_operators));
  ASSIGN_OR_RETURN(const LintResult result, Lint(*file.module, file.format, options));
  return Encode(result);
}

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

absl::StatusOr<LintResult> LintFile(const std::string& path, const LintOptions& options, absl::Duration least_time) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  const absl::string_view bytes = file->bytes();
  const auto encoded =
      RunConfined(LimitsForScript(bytes.size(), least_time), [&] { return LintBytes(bytes, options); });
  RETURN_IF_ERROR(file->CheckUnchanged());
  if (!encoded.ok()) return Annotate(ErrorOfScript(encoded.status()), path);
  absl::StatusOr<LintResult> result = Decode(*encoded);
  return result.ok() ? std::move(result) : Annotate(result.status(), path);
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
