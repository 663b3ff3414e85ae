#ifndef MODELPORT_TARGETS_HOST_RULES_H_
#define MODELPORT_TARGETS_HOST_RULES_H_

#include "absl/types/span.h"
#include "common/torchscript/lint/finding.h"
#include "targets/nuke/rules.h"
#include "targets/target/target.h"

namespace modelport {

// The lint rules of the host that `target` is for; none if the host has no rules of its own.
inline absl::Span<const HostRule> HostRules(const Target& target) {
  return target.name == "nuke" ? NukeRules() : absl::Span<const HostRule>();
}

}  // namespace modelport

#endif  // MODELPORT_TARGETS_HOST_RULES_H_
