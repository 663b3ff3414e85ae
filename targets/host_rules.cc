#include "targets/host_rules.h"

#include "targets/nuke/rules.h"

namespace modelport {

absl::Span<const HostRule> HostRules(const Target& target) {
  return target.name == "nuke" ? NukeRules() : absl::Span<const HostRule>();
}

}  // namespace modelport
