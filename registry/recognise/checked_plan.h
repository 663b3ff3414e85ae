#ifndef MODELPORT_REGISTRY_RECOGNISE_CHECKED_PLAN_H_
#define MODELPORT_REGISTRY_RECOGNISE_CHECKED_PLAN_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/key_mapper.h"
#include "common/keymap/plan.h"
#include "common/keymap/source_choice.h"
#include "registry/plugin.h"
#include "registry/registry.h"

namespace modelport {

// Checks `plan`, by which the checkpoint of `mapper` fills `variant` or a part of it. If the layout has a `config`, a
// config.json beside the file must not contradict the variant's.
//   FailedPrecondition  config.json contradicts: the message names both and the fields
//   DataLoss            config.json cannot be read
//   others              of `plan`
absl::StatusOr<Plan> CheckPlan(const KeyMapper& mapper, const Variant& variant, absl::StatusOr<Plan> plan);

// A variant of the catalog of which a checkpoint has the keys and shapes.
struct FittingVariant {
  CatalogEntry entry;
  absl::StatusOr<Plan> plan;  // Of CheckPlan.
};

// All such variants, for a layout and a dictionary of `checkpoint` that `choice` admits.
std::vector<FittingVariant> FindFittingVariants(const Registry& registry, const Checkpoint& checkpoint,
                                                const SourceChoice& choice);

// The names of those that the checkpoint fits without changes.
std::vector<std::string> NamesOfFitting(const std::vector<FittingVariant>& variants);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_RECOGNISE_CHECKED_PLAN_H_
