#ifndef MODELPORT_COMMON_LINT_HOST_RULE_H_
#define MODELPORT_COMMON_LINT_HOST_RULE_H_

#include <torch/csrc/jit/api/module.h>

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/lint/finding.h"

namespace modelport {

// What one host wants of a module.
struct HostRule {
  absl::string_view name;
  // Adds what it finds; the caller fills in Finding::rule.
  void (*check)(const torch::jit::Module& module, std::vector<Finding>& findings);
};

// What `rules` find in `module`, in their order.
std::vector<Finding> CheckHostRules(absl::Span<const HostRule> rules, const torch::jit::Module& module);

}  // namespace modelport

#endif  // MODELPORT_COMMON_LINT_HOST_RULE_H_
