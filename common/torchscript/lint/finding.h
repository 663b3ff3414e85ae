#ifndef MODELPORT_COMMON_TORCHSCRIPT_LINT_FINDING_H_
#define MODELPORT_COMMON_TORCHSCRIPT_LINT_FINDING_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/torchscript/script/module_fwd.h"
#include "common/torchscript/script/source_line.h"

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

// A requirement of one host.
struct HostRule {
  absl::string_view name;
  // Adds a finding for each violation in `module`; the caller sets Finding::rule.
  void (*check)(const torch::jit::Module& module, std::vector<Finding>& findings);
};

// The findings of `rules` about `module`, in the order of the rules.
std::vector<Finding> CheckHostRules(absl::Span<const HostRule> rules, const torch::jit::Module& module);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_LINT_FINDING_H_
