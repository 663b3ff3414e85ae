#include "common/keymap/plan.h"

#include "absl/strings/str_cat.h"
#include "common/keymap/choose_layout.h"
#include "common/keymap/comparison.h"
#include "common/keymap/fit_error.h"
#include "common/status/status_macros.h"

namespace modelport {

SourceChoice ParseSourceChoice(absl::string_view layout, absl::string_view state_dict) {
  SourceChoice choice;
  choice.layout = std::string(layout);
  if (!state_dict.empty()) choice.state_dict = state_dict == "." ? "" : std::string(state_dict);
  return choice;
}

KeyMapper::KeyMapper(const Checkpoint& checkpoint, std::vector<LayoutReadings> layouts)
    : checkpoint_(&checkpoint), layouts_(std::make_shared<const std::vector<LayoutReadings>>(std::move(layouts))) {}

absl::StatusOr<KeyMapper> KeyMapper::Make(const Checkpoint& checkpoint, const KeyMap& key_map,
                                          const SourceChoice& choice) {
  ASSIGN_OR_RETURN(std::vector<LayoutReadings> layouts, ReadLayouts(checkpoint, key_map, choice));
  return KeyMapper(checkpoint, std::move(layouts));
}

absl::StatusOr<Plan> KeyMapper::MakePlan(const ModuleTree& tree, absl::string_view model) const {
  ASSIGN_OR_RETURN(Comparison comparison, CompareInLayout(*checkpoint_, *layouts_, tree, model));
  if (!comparison.fits()) return FitError(checkpoint_->path(), model, tree, comparison);
  comparison.plan.left_out = FindLeftOut(*checkpoint_, *comparison.reading.dict);
  return std::move(comparison.plan);
}

bool KeyMapper::Fits(const ModuleTree& tree) const { return FitsInLayout(*layouts_, tree); }

absl::StatusOr<Plan> MakePlan(const Checkpoint& checkpoint, const KeyMap& key_map, const ModuleTree& tree,
                              const SourceChoice& choice, absl::string_view model) {
  ASSIGN_OR_RETURN(const KeyMapper mapper, KeyMapper::Make(checkpoint, key_map, choice));
  return mapper.MakePlan(tree, model);
}

std::vector<SeededKey> PublishedKeys(const KeyMap& key_map, const ModuleTree& tree) {
  const Layout* original = key_map.Find("original");
  const Layout plain;
  const Layout& layout = original == nullptr ? plain : *original;
  std::vector<SeededKey> keys;
  for (const Slot& slot : tree.slots) {
    if (layout.StoredKey(slot.name) != slot.name) continue;
    keys.push_back({absl::StrCat(layout.prefix, slot.name), slot.shape, slot.dtype.value_or(DType::kFloat32)});
  }
  return keys;
}

}  // namespace modelport
