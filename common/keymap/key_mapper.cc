#include "common/keymap/key_mapper.h"

#include <utility>

#include "common/keymap/comparison.h"
#include "common/keymap/fit_error.h"
#include "common/keymap/left_out.h"
#include "common/status/status_macros.h"

namespace modelport {

absl::StatusOr<KeyMapper> KeyMapper::Make(const Checkpoint& checkpoint, const KeyMap& key_map,
                                          const SourceChoice& choice) {
  ASSIGN_OR_RETURN(std::vector<LayoutReadings> layouts, ReadLayouts(checkpoint, key_map, choice));
  return KeyMapper(checkpoint, key_map, std::move(layouts));
}

absl::StatusOr<Comparison> KeyMapper::Compare(const ModuleTree& tree, absl::string_view model) const {
  return CompareInLayout(*checkpoint_, layouts_, tree, model);
}

absl::StatusOr<Plan> KeyMapper::MakePlan(const ModuleTree& tree, absl::string_view model) const {
  return MakePlan(Compare(tree, model), tree, model);
}

absl::StatusOr<Plan> KeyMapper::MakePlan(absl::StatusOr<Comparison> comparison, const ModuleTree& tree,
                                         absl::string_view model) const {
  RETURN_IF_ERROR(comparison.status());
  if (!comparison->fits()) return FitError(checkpoint_->path(), model, tree, *comparison);
  comparison->plan.left_out = FindLeftOut(*checkpoint_, *comparison->reading.dict);
  return std::move(comparison->plan);
}

bool KeyMapper::Fits(const ModuleTree& tree) const { return FitsInLayout(layouts_, tree); }

absl::StatusOr<Plan> MakePlan(const Checkpoint& checkpoint, const KeyMap& key_map, const ModuleTree& tree,
                              const SourceChoice& choice, absl::string_view model) {
  ASSIGN_OR_RETURN(const KeyMapper mapper, KeyMapper::Make(checkpoint, key_map, choice));
  return mapper.MakePlan(tree, model);
}

}  // namespace modelport
