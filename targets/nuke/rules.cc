#include "targets/nuke/rules.h"

namespace modelport {

absl::Span<const HostRule> NukeRules() {
  static constexpr HostRule rules[] = {{"one tensor", CheckForward}, {"bool attribute", CheckBoolAttributes}};
  return rules;
}

}  // namespace modelport
