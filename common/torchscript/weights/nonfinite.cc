#include "common/torchscript/weights/nonfinite.h"

#include <c10/core/ScalarType.h>

#include <cstddef>

namespace modelport {
namespace {

// An IEEE number is NaN or infinite exactly if all bits of its exponent are set. Integer comparisons vectorise, so that
// the scan runs at the speed of memory.
template <typename Bits>
int64_t CountWithExponent(const void* data, int64_t count, Bits exponent) {
  const Bits* values = static_cast<const Bits*>(data);
  constexpr int64_t kBlock = 1 << 12;  // Short enough for a counter of the elements' own width, which vectorises best.
  int64_t total = 0;
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t end = begin + kBlock < count ? begin + kBlock : count;
    Bits found = 0;
    for (int64_t i = begin; i < end; ++i) found += static_cast<Bits>((values[i] & exponent) == exponent);
    total += found;
  }
  return total;
}

}  // namespace

int64_t CountNonfinite(const at::Tensor& tensor) {
  const void* data = tensor.const_data_ptr();
  switch (tensor.scalar_type()) {
    case at::kDouble:
      return CountWithExponent<uint64_t>(data, tensor.numel(), 0x7ff0000000000000);
    case at::kFloat:
      return CountWithExponent<uint32_t>(data, tensor.numel(), 0x7f800000);
    case at::kHalf:
      return CountWithExponent<uint16_t>(data, tensor.numel(), 0x7c00);
    case at::kBFloat16:
      return CountWithExponent<uint16_t>(data, tensor.numel(), 0x7f80);
    default:
      return 0;
  }
}

}  // namespace modelport
