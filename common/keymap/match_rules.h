#ifndef MODELPORT_COMMON_KEYMAP_MATCH_RULES_H_
#define MODELPORT_COMMON_KEYMAP_MATCH_RULES_H_

#include <cstddef>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "common/keymap/conversion.h"
#include "common/keymap/key_map.h"
#include "common/keymap/key_pattern.h"

namespace modelport {

// A rule of `sources` for a slot, whose index among the rule's is `result`.
struct RuleMatch {
  const Conversion* rule;
  KeyBindings bindings;
  size_t result;
};

// The rules of `layout` that match the slot's name, of those for which `applies` returns true; in the layout's order.
std::vector<RuleMatch> MatchRules(const Layout& layout, absl::string_view slot,
                                  absl::FunctionRef<bool(const Conversion& rule)> applies);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_MATCH_RULES_H_
