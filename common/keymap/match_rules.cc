#include "common/keymap/match_rules.h"

#include <utility>

#include "absl/types/optional.h"

namespace modelport {

std::vector<RuleMatch> MatchRules(const Layout& layout, absl::string_view slot,
                                  absl::FunctionRef<bool(const Conversion& rule)> applies) {
  std::vector<RuleMatch> matches;
  for (const Conversion& rule : layout.sources) {
    for (size_t i = 0; i < rule.slots.size(); ++i) {
      absl::optional<KeyBindings> bindings = rule.slots[i].Match(slot);
      if (bindings && applies(rule)) matches.push_back({&rule, *std::move(bindings), i});
    }
  }
  return matches;
}

}  // namespace modelport
