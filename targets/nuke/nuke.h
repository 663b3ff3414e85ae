#ifndef MODELPORT_TARGETS_NUKE_NUKE_H_
#define MODELPORT_TARGETS_NUKE_NUKE_H_

#include "targets/target/target.h"

namespace modelport {

// Foundry Nuke. Its Inference node passes one image to forward, which returns one.
const Target& NukeTarget();

}  // namespace modelport

#endif  // MODELPORT_TARGETS_NUKE_NUKE_H_
