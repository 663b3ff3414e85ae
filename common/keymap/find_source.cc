#include "common/keymap/find_source.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "common/keymap/key_map.h"
#include "common/keymap/layout_reading.h"
#include "common/operation/slot_source.h"

namespace modelport {
namespace {

// The tensors named `found->keys`; writes the names that there are none for to `found->lacking`.
std::vector<SlotSource> FindInputs(const LayoutReading& reading, FoundSource* found) {
  std::vector<SlotSource> inputs;
  for (const std::string& key : found->keys) {
    const auto tensor = reading.keys->by_name.find(key);
    if (tensor == reading.keys->by_name.end()) {
      found->lacking.push_back(key);
    } else {
      inputs.emplace_back(Take{{*reading.checkpoint, tensor->second}});
    }
  }
  return inputs;
}

void Convert(const RuleMatch& match, std::vector<SlotSource> inputs, FoundSource* found) {
  absl::StatusOr<Computed> computed = Computed::Make(std::move(inputs), match.rule->operations, match.result);
  if (computed.ok()) {
    found->source = *std::move(computed);
  } else {
    found->problem = std::string(computed.status().message());
  }
}

FoundSource FindByRule(const RuleMatch& match, const LayoutReading& reading) {
  const Conversion& rule = *match.rule;
  FoundSource found;
  found.rule = &rule;
  for (size_t i = 0; i < rule.keys.size(); ++i) {
    if (rule.operations.empty() && i != match.result) continue;
    found.keys.push_back(rule.keys[i].Substitute(match.bindings));
  }
  std::vector<SlotSource> inputs = FindInputs(reading, &found);
  if (!found.lacking.empty()) return found;
  if (rule.operations.empty()) {
    found.source = std::move(inputs.front());
  } else {
    Convert(match, std::move(inputs), &found);
  }
  return found;
}

FoundSource FindByName(const Slot& slot, const LayoutReading& reading) {
  FoundSource found;
  const std::string own = reading.layout->OwnKey(slot.name);
  found.keys = {own};
  if (!reading.keys->by_name.contains(own)) {
    found.keys = {reading.layout->StoredKey(slot.name)};
    found.is_aliased = found.keys.front() != own;
  }
  std::vector<SlotSource> inputs = FindInputs(reading, &found);
  if (!inputs.empty()) found.source = std::move(inputs.front());
  return found;
}

}  // namespace

FoundSource FindSource(const Slot& slot, const LayoutReading& reading) {
  const std::vector<RuleMatch> matches =
      MatchRules(*reading.layout, slot.name, [&](const Conversion& rule) { return reading.keys->Applies(rule); });
  if (matches.empty()) return FindByName(slot, reading);
  FoundSource found = FindByRule(matches.front(), reading);
  if (matches.size() == 1) return found;
  // The keys of the other rule are not unexpected, too.
  found.other = matches[1].rule;
  for (const KeyPattern& key : matches[1].rule->keys) found.keys.push_back(key.Substitute(matches[1].bindings));
  return found;
}

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
