#ifndef MODELPORT_COMMON_TORCHSCRIPT_LINT_FINDING_H_
#define MODELPORT_COMMON_TORCHSCRIPT_LINT_FINDING_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/torchscript/script/graph_operators.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// Something in a TorchScript file that does not work in the host that the file is for.
struct Finding {
  std::vector<std::string> modules;  // The paths of the modules that have it; "" is the root.
  SourceLine line = {};              // It is empty if no line causes the finding, as for an attribute.
  std::string message;
  std::string cure;
  std::string rule = {};  // Such as "half".
};

// The findings as text for the user, one paragraph each:
//
//   half, 24 modules: blocks.0.attn, blocks.1.attn, ...
//     vit.py:12: x = self.qkv(x.float())
//     aten::to is given the dtype float32; aten::linear at linear.py:8 refuses it together with ...
//     cure: take the dtype of a tensor, x.dtype, or ...
//
// Text from the file is made Printable, and long lines are cut.
std::string FormatFindings(const std::vector<Finding>& findings);

// "3 findings".
std::string CountFindings(const std::vector<Finding>& findings);

// What a `Subject` has to meet.
template <typename Subject>
struct LintRule {
  absl::string_view name;
  // Adds a finding for each violation; CheckRules sets Finding::rule.
  void (*check)(const Subject& subject, std::vector<Finding>& findings);
};

// A requirement of one host.
using HostRule = LintRule<torch::jit::Module>;

// The findings of `rules` about `subject`, in the order of the rules.
template <typename Subject>
std::vector<Finding> CheckRules(absl::Span<const LintRule<Subject>> rules, const Subject& subject) {
  std::vector<Finding> all;
  for (const LintRule<Subject>& rule : rules) {
    std::vector<Finding> findings;
    rule.check(subject, findings);
    for (Finding& finding : findings) {
      finding.rule = std::string(rule.name);
      all.push_back(std::move(finding));
    }
  }
  return all;
}

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_LINT_FINDING_H_
