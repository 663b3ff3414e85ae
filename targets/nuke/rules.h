#ifndef MODELPORT_TARGETS_NUKE_RULES_H_
#define MODELPORT_TARGETS_NUKE_RULES_H_

#include <vector>

#include "absl/types/span.h"
#include "common/torchscript/lint/finding.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// The lint rules of Nuke. Each function adds its findings.
absl::Span<const HostRule> NukeRules();

// forward takes one tensor and nothing else, and gives one tensor.
void CheckForward(const torch::jit::Module& module, std::vector<Finding>& findings);

// The root has no bool attributes: Nuke offers attributes of the root as knobs, and a knob cannot set a bool.
// `training`, which every module of torch.nn has, may be bool, and so may attributes of submodules.
void CheckBoolAttributes(const torch::jit::Module& module, std::vector<Finding>& findings);

}  // namespace modelport

#endif  // MODELPORT_TARGETS_NUKE_RULES_H_
