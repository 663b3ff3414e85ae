#ifndef MODELPORT_TARGETS_TENSORRT_TENSORRT_H_
#define MODELPORT_TARGETS_TENSORRT_TENSORRT_H_

#include "targets/target/target.h"

namespace modelport {

// NVIDIA TensorRT, whose parser takes fewer forms of some nodes, and whose engines are built for a range of sizes.
const Target& TensorRtTarget();

}  // namespace modelport

#endif  // MODELPORT_TARGETS_TENSORRT_TENSORRT_H_
