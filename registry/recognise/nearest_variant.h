#ifndef MODELPORT_REGISTRY_RECOGNISE_NEAREST_VARIANT_H_
#define MODELPORT_REGISTRY_RECOGNISE_NEAREST_VARIANT_H_

#include <string>

#include "absl/types/optional.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/source_choice.h"
#include "registry/registry.h"

namespace modelport {

struct NearestVariant {
  std::string name;
  // "(layout original): 2 of 247 keys missing ...", of MakePlan's message, or "by shapes alone: ...".
  std::string differences;
};

// Finds the variant of the catalog to which a checkpoint comes nearest in what `choice` admits; of several that are
// equally near the first. It is found by names and shapes if at least a quarter of slots and keys agree (see Likeness),
// or else, if it admits any layout, by shapes alone if half of them do. nullopt if no variant is as near.
absl::optional<NearestVariant> FindNearestVariant(const Registry& registry, const Checkpoint& checkpoint,
                                                  const SourceChoice& choice);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_RECOGNISE_NEAREST_VARIANT_H_
