#include "common/lint/lint.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/artifact/operators.h"
#include "common/artifact/runtime_obstacles.h"
#include "common/lint/rules.h"
#include "common/lint/trace.h"
#include "common/script/torch_status.h"

namespace modelport {
namespace {

struct Rule {
  absl::string_view name;
  absl::string_view target;  // The only one that it is for; empty: for all.
  void (*check)(const LintSubject& subject, std::vector<Finding>& findings);
};

constexpr Rule kRules[] = {
    {"one tensor", /*target=*/"nuke", CheckForward},
    {"bool attribute", /*target=*/"nuke", CheckBoolAttributes},
    {"attribute type", /*target=*/"", CheckAttributeTypes},
    {"device", /*target=*/"", CheckDevices},
    {"half", /*target=*/"", CheckHalf},
    {"float64", /*target=*/"", CheckFloat64},
    {"in place", /*target=*/"", CheckInPlaceWrites},
    {"runtime", /*target=*/"", CheckRuntimeObstacles},
};

bool SameButForModules(const Finding& a, const Finding& b) {
  return a.rule == b.rule && a.line.place == b.line.place && a.line.text == b.line.text && a.message == b.message &&
         a.cure == b.cure;
}

// Adds `finding`, or only its modules if the rest is there.
void Merge(const Finding& finding, std::vector<Finding>& findings) {
  const auto same = [&](const Finding& other) { return SameButForModules(finding, other); };
  const auto found = std::find_if(findings.begin(), findings.end(), same);
  if (found == findings.end()) {
    findings.push_back(finding);
    return;
  }
  for (const std::string& module : finding.modules) {
    const auto known = std::find(found->modules.begin(), found->modules.end(), module);
    if (known == found->modules.end()) found->modules.push_back(module);
  }
}

std::vector<Finding> RunRules(const LintSubject& subject, absl::string_view target) {
  std::vector<Finding> merged;
  for (const Rule& rule : kRules) {
    if (!rule.target.empty() && rule.target != target) continue;
    std::vector<Finding> findings;
    rule.check(subject, findings);
    for (Finding& finding : findings) {
      finding.rule = std::string(rule.name);
      Merge(finding, merged);
    }
  }
  return merged;
}

}  // namespace

absl::StatusOr<LintResult> Lint(const torch::jit::Module& module, const ArchiveFormat& format,
                                const LintOptions& options) {
  return CatchTorch([&] {
    const Trace trace = TraceForward(module);
    const std::vector<Operator> operators = CollectOperators(module);
    return LintResult{RunRules({module, trace, operators, format, options.runtime}, options.target),
                      MinimumRuntime(format, operators)};
  });
}

}  // namespace modelport
