#ifndef MODELPORT_ARTIFACT_BUILD_KEEP_SLOTS_H_
#define MODELPORT_ARTIFACT_BUILD_KEEP_SLOTS_H_

#include <vector>

#include "common/module_tree/keep_outputs.h"
#include "registry/recognise/map_weights.h"

namespace modelport {

// Removes from `parts`, which fill all slots of a model, those that `kept` leaves out of it. A checkpoint is mapped
// onto the whole model first, so that one that lacks a tensor is refused, whatever the artifact keeps.
void KeepSlots(const KeptOutputs& kept, std::vector<MappedPart>& parts);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_BUILD_KEEP_SLOTS_H_
