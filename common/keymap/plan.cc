#include "common/keymap/plan.h"

#include "absl/strings/str_cat.h"
#include "common/keymap/choose_layout.h"
#include "common/keymap/comparison.h"
#include "common/keymap/fit_error.h"
#include "common/status/status_macros.h"

namespace modelport {

absl::StatusOr<Plan> MakePlan(const Checkpoint& checkpoint, const KeyMap& key_map, const ModuleTree& tree,
                              absl::string_view layout, absl::string_view model) {
  ASSIGN_OR_RETURN(Comparison comparison, CompareInLayout(checkpoint, key_map, tree, layout, model));
  if (!comparison.fits()) return FitError(checkpoint.path(), model, tree, comparison);
  return std::move(comparison.plan);
}

std::vector<SeededKey> PublishedKeys(const KeyMap& key_map, const ModuleTree& tree) {
  const Layout* original = key_map.Find("original");
  const Layout plain;
  const Layout& layout = original == nullptr ? plain : *original;
  std::vector<SeededKey> keys;
  for (const Slot& slot : tree.slots) {
    if (layout.StoredKey(slot.name) == slot.name) keys.push_back({absl::StrCat(layout.prefix, slot.name), slot.shape});
  }
  return keys;
}

}  // namespace modelport
