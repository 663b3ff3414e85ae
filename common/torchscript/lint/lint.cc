#include "common/torchscript/lint/lint.h"

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/status/status_macros.h"
#include "common/torchscript/lint/rules.h"
#include "common/torchscript/lint/trace.h"
#include "common/torchscript/lint/type_size.h"
#include "common/torchscript/runtime/operators.h"
#include "common/torchscript/runtime/runtime_obstacles.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

struct Rule {
  absl::string_view name;
  void (*check)(const LintSubject& subject, std::vector<Finding>& findings);
};

constexpr Rule kRules[] = {
    {"attribute type", CheckAttributeTypes},
    {"device", CheckDevices},
    {"half", CheckHalf},
    {"float64", CheckFloat64},
    {"in place", CheckInPlaceWrites},
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
  for (Finding& finding : CheckHostRules(host_rules, subject.module)) merged.Add(std::move(finding));
  for (const Rule& rule : kRules) {
    std::vector<Finding> findings;
    rule.check(subject, findings);
    for (Finding& finding : findings) {
      finding.rule = std::string(rule.name);
      merged.Add(std::move(finding));
    }
  }
  return std::move(merged).Take();
}

}  // namespace

absl::StatusOr<LintResult> Lint(const torch::jit::Module& module, const ArchiveFormat& format,
                                const LintOptions& options) {
  RETURN_IF_ERROR(CheckTypeSizes(module));
  ASSIGN_OR_RETURN(const std::vector<Operator> operators, CatchTorch([&] { return CollectOperators(module); }));
  ASSIGN_OR_RETURN(const Trace trace, TraceForward(module));
  return CatchTorch([&] {
    return LintResult{RunRules({module, trace, operators, format, options.runtime}, options.host_rules),
                      MinimumRuntime(format, operators)};
  });
}

}  // namespace modelport
