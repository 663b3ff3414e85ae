#ifndef MODELPORT_COMMON_TORCHSCRIPT_LINT_HOST_RULE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_LINT_HOST_RULE_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/torchscript/lint/finding.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// A requirement of one host.
struct HostRule {
  absl::string_view name;
  // Adds a finding for each violation in `module`; the caller sets Finding::rule.
  void (*check)(const torch::jit::Module& module, std::vector<Finding>& findings);
};

// The findings of `rules` about `module`, in the order of the rules.
std::vector<Finding> CheckHostRules(absl::Span<const HostRule> rules, const torch::jit::Module& module);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_LINT_HOST_RULE_H_
