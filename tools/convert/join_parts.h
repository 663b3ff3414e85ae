#ifndef MODELPORT_TOOLS_CONVERT_JOIN_PARTS_H_
#define MODELPORT_TOOLS_CONVERT_JOIN_PARTS_H_

#include <vector>

#include "common/keymap/plan.h"
#include "registry/recognise/map_weights.h"

namespace modelport {

// The plan of a whole tree from those of all its parts, in the order of its slots. Its `layout` names the layout of
// each part, and `state_dict` is empty.
Plan JoinParts(const std::vector<MappedPart>& parts);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_CONVERT_JOIN_PARTS_H_
