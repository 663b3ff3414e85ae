#include "targets/libtorch/libtorch.h"

namespace modelport {

const Target& LibTorchTarget() {
  static const auto* const target = new Target{.name = "libtorch"};
  return *target;
}

}  // namespace modelport
