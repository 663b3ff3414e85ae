#include "common/keymap/source_keys.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/types/optional.h"

namespace modelport {
namespace {

// Never leaves an empty key.
bool ConsumePrefix(const std::string& prefix, absl::string_view* key) {
  if (prefix.empty() || key->size() == prefix.size() || !absl::StartsWith(*key, prefix)) return false;
  key->remove_prefix(prefix.size());
  return true;
}

bool ConsumeAny(const std::vector<std::string>& prefixes, absl::string_view* key) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [key](const std::string& prefix) { return ConsumePrefix(prefix, key); });
}

// Renames the keys that match, and returns how many do.
int64_t RenameMatching(const KeyPattern& from, const KeyPattern& to, SourceKeys* source) {
  int64_t count = 0;
  for (SourceKey& key : source->keys) {
    const absl::optional<KeyBindings> bindings = from.Match(key.name);
    if (!bindings.has_value()) continue;
    key.name = source->renamed.emplace_back(to.Substitute(*bindings));
    ++count;
  }
  return count;
}

void ApplyRenames(const Layout& layout, SourceKeys* source) {
  for (const OldName& old : layout.old_names) {
    const int64_t count = RenameMatching(old.from, old.to, source);
    if (count > 0) source->old_keys.push_back({&old, count});
  }
  for (const Rename& rename : layout.renames) {
    if (RenameMatching(rename.from, rename.to, source) == 0) source->idle_rules.push_back(&rename);
  }
}

void FindInapplicable(const Layout& layout, SourceKeys* source) {
  for (const Conversion& rule : layout.sources) {
    const auto matches = [&](const SourceKey& key) { return rule.when->Matches(key.name); };
    if (rule.when && std::none_of(source->keys.begin(), source->keys.end(), matches))
      source->inapplicable.insert(&rule);
  }
}

}  // namespace

absl::string_view StripPrefixes(const Layout& layout, absl::string_view key) {
  while (ConsumeAny(layout.strip, &key)) {
  }
  if (!ConsumePrefix(layout.prefix, &key)) return key;
  while (ConsumeAny(layout.strip, &key)) {
  }
  return key;
}

std::string PresentName(const Layout& layout, absl::string_view name) {
  std::string present(name);
  for (const OldName& old : layout.old_names) {
    const absl::optional<KeyBindings> bindings = old.from.Match(present);
    if (bindings.has_value()) present = old.to.Substitute(*bindings);
  }
  return present;
}

std::shared_ptr<const SourceKeys> RenameKeys(const Layout& layout, const StateDict& dict) {
  auto source = std::make_shared<SourceKeys>();
  source->keys.reserve(dict.tensors.size());
  for (const CheckpointTensor& tensor : dict.tensors) {
    source->keys.push_back({StripPrefixes(layout, tensor.key), &tensor});
  }
  ApplyRenames(layout, source.get());
  FindInapplicable(layout, source.get());
  source->by_name.reserve(source->keys.size());
  for (const SourceKey& key : source->keys) {
    const auto [first, is_new] = source->by_name.emplace(key.name, key.tensor);
    if (!is_new) source->collisions.push_back({key.name, first->second, key.tensor});
  }
  return source;
}

}  // namespace modelport
