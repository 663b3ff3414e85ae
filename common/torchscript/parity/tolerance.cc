#include "common/torchscript/parity/tolerance.h"

#include <algorithm>

#include "common/torchscript/proof/epsilon.h"

namespace modelport {

double Tolerance(double noise, double scale, at::ScalarType type) {
  if (!at::isFloatingType(type)) return 0;
  const double epsilon = Epsilon(type);
  return std::clamp(4 * noise, std::max(4e-6, epsilon) * scale, std::max(1e-3, 16 * epsilon) * scale);
}

}  // namespace modelport
