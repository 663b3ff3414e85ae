#include "common/lint/lint.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "common/lint/rules.h"
#include "common/lint/trace.h"
#include "common/script/torch_status.h"

namespace modelport {
namespace {

struct Rule {
  absl::string_view name;
  bool nuke_only;
  void (*check)(const LintSubject& subject, std::vector<Finding>& findings);
};

constexpr Rule kRules[] = {
    {"one tensor", /*nuke_only=*/true, CheckForward},
    {"bool attribute", /*nuke_only=*/true, CheckBoolAttributes},
    {"attribute type", /*nuke_only=*/false, CheckAttributeTypes},
    {"device", /*nuke_only=*/false, CheckDevices},
    {"half", /*nuke_only=*/false, CheckHalf},
    {"float64", /*nuke_only=*/false, CheckFloat64},
    {"in place", /*nuke_only=*/false, CheckInPlaceWrites},
    {"runtime", /*nuke_only=*/false, CheckRuntimeObstacles},
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

std::vector<Finding> RunRules(const LintSubject& subject, bool nuke) {
  std::vector<Finding> merged;
  for (const Rule& rule : kRules) {
    if (rule.nuke_only && !nuke) continue;
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

absl::StatusOr<std::vector<Finding>> Lint(const torch::jit::Module& module, const ArchiveFormat& format,
                                          const LintOptions& options) {
  return CatchTorch([&] {
    const Trace trace = TraceForward(module);
    return RunRules({module, trace, format, options.runtime}, options.nuke);
  });
}

}  // namespace modelport
