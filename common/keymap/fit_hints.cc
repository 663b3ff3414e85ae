#include "common/keymap/fit_hints.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/text/first_few.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

constexpr size_t kPrefixes = 8;  // The greatest number of parts of a suggested prefix.

// The longest prefix of all names that ends with a dot: "", "model." or "model.net.".
absl::string_view SharedPrefix(const std::vector<SourceKey>& keys) {
  absl::string_view shared = keys.front().name;
  for (const SourceKey& key : keys) {
    const auto end = std::mismatch(shared.begin(), shared.end(), key.name.begin(), key.name.end()).first;
    shared = shared.substr(0, end - shared.begin());
  }
  return shared.substr(0, shared.rfind('.') + 1);
}

// The number of `keys` that are in `names` without their first `size` bytes.
size_t CountFound(const std::vector<SourceKey>& keys, size_t size,
                  const absl::flat_hash_set<absl::string_view>& names) {
  return std::count_if(keys.begin(), keys.end(),
                       [&](const SourceKey& key) { return names.contains(key.name.substr(size)); });
}

std::string PrefixHint(const Comparison& comparison) {
  const std::vector<SourceKey>& unexpected = comparison.unexpected;
  if (unexpected.empty()) return "";
  absl::flat_hash_set<absl::string_view> missing;
  for (const MissingSlot& slot : comparison.missing) missing.insert(slot.keys.begin(), slot.keys.end());
  const absl::string_view shared = SharedPrefix(unexpected);
  size_t size = 0;
  for (size_t parts = 0; parts < kPrefixes && size < shared.size(); ++parts) {
    size = shared.find('.', size) + 1;
    if (CountFound(unexpected, size, missing) * 2 < unexpected.size()) continue;
    const std::string prefix = Brief(shared.substr(0, size));
    const Layout& layout = *comparison.reading.layout;
    const std::string cure = layout.prefix.empty() ? absl::StrCat("write `prefix: ", prefix, "`")
                                                   : absl::StrCat("add \"", prefix, "\" to `strip`");
    return absl::StrCat("\n  all unexpected keys begin with \"", prefix, "\": ", cure, " in layout ", layout.name);
  }
  return "";
}

std::string CounterHint(const std::vector<SourceKey>& unexpected) {
  const size_t counters = std::count_if(unexpected.begin(), unexpected.end(), [](const SourceKey& key) {
    return absl::EndsWith(key.name, ".num_batches_tracked") && key.tensor->shape.empty();
  });
  if (counters == 0) return "";
  return absl::StrCat("\n  ", counters, " unexpected ", counters == 1 ? "key is a counter" : "keys are counters",
                      " of BatchNorm: list them under unused as ",
                      "{key: \"{path*}.num_batches_tracked\", reason: counts the batches of training}");
}

// Lists the `rules` that match none of `names`. `name_of` returns the name of one of them.
template <typename T, typename NameOf>
std::string IdleRules(const std::vector<Allowance>& rules, const std::vector<T>& names, NameOf name_of) {
  std::vector<std::string> idle;
  for (const Allowance& rule : rules) {
    const auto matches = [&](const T& name) { return rule.key.Matches(name_of(name)); };
    if (std::any_of(names.begin(), names.end(), matches)) continue;
    idle.push_back(absl::StrCat(rule.key.text(), " (", MarkString(rule.mark), ")"));
  }
  return FirstFew(idle);
}

std::string IdleUnusedHint(const Comparison& comparison) {
  if (comparison.unexpected.empty()) return "";
  const std::string idle = IdleRules(comparison.reading.layout->unused, comparison.reading.keys->keys,
                                     [](const SourceKey& key) { return key.name; });
  if (idle.empty()) return "";
  return absl::StrCat("\n  rules of `unused` that match no key: ", idle,
                      "; they see keys after `prefix`, `strip` and `renames`");
}

std::string IdleMissingHint(const ModuleTree& tree, const Comparison& comparison) {
  if (comparison.missing.empty()) return "";
  const std::string idle = IdleRules(comparison.reading.layout->missing, tree.slots,
                                     [](const Slot& slot) -> absl::string_view { return slot.name; });
  return idle.empty() ? "" : absl::StrCat("\n  rules of `missing` that match no parameter or buffer: ", idle);
}

}  // namespace

std::string FitHints(const ModuleTree& tree, const Comparison& comparison) {
  return absl::StrCat(PrefixHint(comparison), CounterHint(comparison.unexpected), IdleUnusedHint(comparison),
                      IdleMissingHint(tree, comparison));
}

}  // namespace modelport
