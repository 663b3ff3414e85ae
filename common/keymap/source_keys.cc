#include "common/keymap/source_keys.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/types/optional.h"

namespace modelport {
namespace {

bool ConsumeOnePrefix(const Layout& layout, absl::string_view* key) {
  const auto consume = [&](const std::string& prefix) {
    if (prefix.empty() || key->size() == prefix.size() || !absl::StartsWith(*key, prefix)) return false;
    key->remove_prefix(prefix.size());
    return true;
  };
  return consume(layout.prefix) || std::any_of(layout.strip.begin(), layout.strip.end(), consume);
}

void ApplyRenames(const Layout& layout, SourceKeys* source) {
  for (const Rename& rename : layout.renames) {
    bool matches = false;
    for (SourceKey& key : source->keys) {
      const absl::optional<KeyBindings> bindings = rename.from.Match(key.name);
      if (!bindings.has_value()) continue;
      key.name = source->renamed.emplace_back(rename.to.Substitute(*bindings));
      matches = true;
    }
    if (!matches) source->idle_rules.push_back(&rename);
  }
}

}  // namespace

absl::string_view StripPrefixes(const Layout& layout, absl::string_view key) {
  while (ConsumeOnePrefix(layout, &key)) {
  }
  return key;
}

std::shared_ptr<const SourceKeys> RenameKeys(const Layout& layout, const StateDict& dict) {
  auto source = std::make_shared<SourceKeys>();
  source->keys.reserve(dict.tensors.size());
  for (const CheckpointTensor& tensor : dict.tensors) {
    source->keys.push_back({StripPrefixes(layout, tensor.key), &tensor});
  }
  ApplyRenames(layout, source.get());
  source->by_name.reserve(source->keys.size());
  for (const SourceKey& key : source->keys) {
    const auto [first, is_new] = source->by_name.emplace(key.name, key.tensor);
    if (!is_new) source->collisions.push_back({key.name, first->second, key.tensor});
  }
  return source;
}

}  // namespace modelport
