#ifndef MODELPORT_TARGETS_LIBTORCH_LIBTORCH_H_
#define MODELPORT_TARGETS_LIBTORCH_LIBTORCH_H_

#include "targets/target.h"

namespace modelport {

// Programs in C++ or Python, which call the model without a wrapper.
const Target& LibTorchTarget();

}  // namespace modelport

#endif  // MODELPORT_TARGETS_LIBTORCH_LIBTORCH_H_
