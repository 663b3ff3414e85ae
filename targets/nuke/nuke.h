#ifndef MODELPORT_TARGETS_NUKE_NUKE_H_
#define MODELPORT_TARGETS_NUKE_NUKE_H_

#include "targets/target.h"

namespace modelport {

// Foundry Nuke, whose Inference node gives forward one image and takes one back.
const Target& NukeTarget();

}  // namespace modelport

#endif  // MODELPORT_TARGETS_NUKE_NUKE_H_
