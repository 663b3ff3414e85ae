#ifndef MODELPORT_PIPELINE_CHECKED_PLAN_H_
#define MODELPORT_PIPELINE_CHECKED_PLAN_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/key_mapper.h"
#include "common/keymap/plan.h"
#include "common/module_tree/module_tree.h"
#include "registry/plugin.h"
#include "registry/registry.h"

namespace modelport {

// Maps the checkpoint of `mapper` onto `tree`, the modules of `variant` or of a part of it that is called `title`. If
// the layout has a `config`, a config.json beside the file must not contradict the variant's.
//   FailedPrecondition  the file does not fit; or config.json contradicts: the message names both and the fields
//   DataLoss            config.json cannot be read
absl::StatusOr<Plan> MakeCheckedPlan(const KeyMapper& mapper, const Variant& variant, const ModuleTree& tree,
                                     absl::string_view title);

// A variant of the catalog of which a checkpoint has the keys and shapes.
struct FittingVariant {
  CatalogEntry entry;
  absl::StatusOr<Plan> plan;  // Of MakeCheckedPlan.
};

// All such variants, for a dictionary of `checkpoint` or the one at `state_dict`.
std::vector<FittingVariant> FindFittingVariants(const Registry& registry, const Checkpoint& checkpoint,
                                                const absl::optional<std::string>& state_dict);

// The names of those that the checkpoint fits without changes.
std::vector<std::string> NamesOfFitting(const std::vector<FittingVariant>& variants);

}  // namespace modelport

#endif  // MODELPORT_PIPELINE_CHECKED_PLAN_H_
