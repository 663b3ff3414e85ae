#ifndef MODELPORT_TARGETS_FLAME_FLAME_H_
#define MODELPORT_TARGETS_FLAME_FLAME_H_

#include "targets/target/target.h"

namespace modelport {

// Autodesk Flame, whose Inference node loads an ONNX file and a description of the same name. Artifacts are of one size
// and one image, which the node resizes to.
const Target& FlameTarget();

}  // namespace modelport

#endif  // MODELPORT_TARGETS_FLAME_FLAME_H_
