#ifndef MODELPORT_REGISTRY_RECOGNISE_FITTING_PARTS_H_
#define MODELPORT_REGISTRY_RECOGNISE_FITTING_PARTS_H_

#include <string>
#include <vector>

#include "common/checkpoint/checkpoint.h"
#include "common/keymap/source_choice.h"
#include "registry/registry.h"

namespace modelport {

// A part of a variant of several files, of which a checkpoint has the keys and shapes.
struct FittingPart {
  CatalogEntry entry;
  std::string part;   // The child of the root: "linear_head".
  std::string title;  // "linear_head of dinov2_vits14_lc1".
};

// All such parts, in the order of the catalog, for a layout and a dictionary of `checkpoint` that `choice` admits.
std::vector<FittingPart> FindFittingParts(const Registry& registry, const Checkpoint& checkpoint,
                                          const SourceChoice& choice);

std::vector<std::string> TitlesOf(const std::vector<FittingPart>& parts);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_RECOGNISE_FITTING_PARTS_H_
