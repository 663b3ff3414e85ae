#include "common/torchscript/lint/host_rule.h"

#include <string>
#include <utility>

namespace modelport {

std::vector<Finding> CheckHostRules(absl::Span<const HostRule> rules, const torch::jit::Module& module) {
  std::vector<Finding> all;
  for (const HostRule& rule : rules) {
    std::vector<Finding> findings;
    rule.check(module, findings);
    for (Finding& finding : findings) {
      finding.rule = std::string(rule.name);
      all.push_back(std::move(finding));
    }
  }
  return all;
}

}  // namespace modelport
