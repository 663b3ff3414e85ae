#ifndef MODELPORT_COMMON_TORCHSCRIPT_PROOF_EPSILON_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PROOF_EPSILON_H_

#include <c10/core/ScalarType.h>

namespace modelport {

// The distance from 1 to the next number of the floating dtype `type`: what one rounding is to a number of this size.
inline double Epsilon(at::ScalarType type) {
  if (type == at::kBFloat16) return 0x1p-7;
  if (type == at::kHalf) return 0x1p-10;
  return type == at::kDouble ? 0x1p-52 : 0x1p-23;
}

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PROOF_EPSILON_H_
