#include "common/parity/tolerance.h"

#include <algorithm>

namespace modelport {

double Tolerance(double noise, double scale, at::ScalarType type) {
  if (!at::isFloatingType(type)) return 0;
  const double epsilon = type == at::kHalf ? 0x1p-10 : type == at::kBFloat16 ? 0x1p-7 : 0;
  return std::clamp(4 * noise, std::max(4e-6, epsilon) * scale, std::max(1e-3, 16 * epsilon) * scale);
}

}  // namespace modelport
