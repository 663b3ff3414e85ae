#ifndef MODELPORT_TARGETS_NUKE_RULES_H_
#define MODELPORT_TARGETS_NUKE_RULES_H_

#include <torch/csrc/jit/api/module.h>

#include <vector>

#include "absl/types/span.h"
#include "common/lint/finding.h"
#include "common/lint/host_rule.h"

namespace modelport {

// What Nuke wants of a module. The rules add what they find.
absl::Span<const HostRule> NukeRules();

// forward takes one tensor and nothing else, and gives one tensor.
void CheckForward(const torch::jit::Module& module, std::vector<Finding>& findings);

// The root has no bool attributes, which Nuke offers as knobs but cannot set. `training`, which torch.nn gives to every
// module, and those of submodules, which are out of Nuke's reach, may be bool.
void CheckBoolAttributes(const torch::jit::Module& module, std::vector<Finding>& findings);

}  // namespace modelport

#endif  // MODELPORT_TARGETS_NUKE_RULES_H_
