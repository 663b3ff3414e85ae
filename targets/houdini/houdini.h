#ifndef MODELPORT_TARGETS_HOUDINI_HOUDINI_H_
#define MODELPORT_TARGETS_HOUDINI_HOUDINI_H_

#include "targets/target/target.h"

namespace modelport {

// SideFX Houdini, whose ONNX Inference nodes take one image, of which the height and the width may be free.
const Target& HoudiniTarget();

}  // namespace modelport

#endif  // MODELPORT_TARGETS_HOUDINI_HOUDINI_H_
