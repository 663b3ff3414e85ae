#include "common/torchscript/weights/count_values.h"

#include <c10/core/ScalarType.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "common/tensor/shape.h"

namespace modelport {
namespace {

// An IEEE number is NaN or infinite exactly if all bits of its exponent are set; a float8_e4m3fn is NaN if all bits but
// the sign are. Integer comparisons vectorise, so that the scan runs at the speed of memory.
template <typename Bits>
int64_t CountWithExponent(const void* data, int64_t count, Bits exponent) {
  const Bits* values = static_cast<const Bits*>(data);
  // Short enough for a counter of the elements' own width, which vectorises best.
  constexpr int64_t kBlock = sizeof(Bits) == 1 ? 255 : 1 << 12;
  int64_t total = 0;
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t end = begin + kBlock < count ? begin + kBlock : count;
    Bits found = 0;
    for (int64_t i = begin; i < end; ++i) found += static_cast<Bits>((values[i] & exponent) == exponent);
    total += found;
  }
  return total;
}

// An IEEE format by the unsigned integer of its size and the bits of its mantissa. Numbers are ordered as integers are.
template <typename Integer, int kMantissaBits>
struct Format {
  using Bits = Integer;
  static constexpr Bits kMagnitude = static_cast<Bits>(~Bits{0}) >> 1;  // All but the sign.
  static constexpr Bits kSmallestNormal = Bits{1} << kMantissaBits;
};

using Float64 = Format<uint64_t, 52>;
using Float32 = Format<uint32_t, 23>;
using Float16 = Format<uint16_t, 10>;
using BFloat16 = Format<uint16_t, 7>;

// Compares `count` elements at `source`, which are `step` bytes apart, with those at `target`. The loop has no
// branches, and counters of 32 bits, enough for one block, so that it vectorises.
template <typename Source, typename Target>
void CountRow(const char* source, int64_t step, const char* target, int64_t count, Underflow* underflow) {
  constexpr int64_t kBlock = 1 << 20;
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    uint32_t zeros = 0, subnormals = 0;
    for (int64_t i = begin; i < std::min(count, begin + kBlock); ++i) {
      typename Source::Bits from;
      typename Target::Bits to;
      std::memcpy(&from, source + i * step, sizeof(from));
      std::memcpy(&to, target + i * sizeof(to), sizeof(to));
      from &= Source::kMagnitude;
      to &= Target::kMagnitude;
      zeros += (to == 0) & (from != 0);
      subnormals += (to != 0) & (to < Target::kSmallestNormal) & (from >= Source::kSmallestNormal);
    }
    underflow->zeros += zeros;
    underflow->subnormals += subnormals;
  }
}

template <typename Source, typename Target>
Underflow Count(const at::Tensor& tensor, const at::Tensor& converted) {
  constexpr int64_t kSize = sizeof(typename Source::Bits);
  const char* source = static_cast<const char*>(tensor.const_data_ptr());
  const char* target = static_cast<const char*>(converted.const_data_ptr());
  Underflow underflow;
  if (tensor.is_contiguous()) {
    CountRow<Source, Target>(source, kSize, target, tensor.numel(), &underflow);
    return underflow;
  }
  // Row by row; a tensor that is not contiguous has rows, and none of its sizes is 0.
  const Shape rows = tensor.sizes().slice(0, tensor.dim() - 1).vec();
  const int64_t size = tensor.size(-1);
  Shape index(rows.size(), 0);
  do {
    int64_t first = 0;
    for (size_t k = 0; k < index.size(); ++k) first += index[k] * tensor.stride(k);
    CountRow<Source, Target>(source + first * kSize, tensor.stride(-1) * kSize, target, size, &underflow);
    target += size * sizeof(typename Target::Bits);
  } while (NextIndex(rows, &index));
  return underflow;
}

template <typename Source>
Underflow CountFrom(const at::Tensor& tensor, const at::Tensor& converted) {
  switch (converted.scalar_type()) {
    case at::kFloat:
      return Count<Source, Float32>(tensor, converted);
    case at::kHalf:
      return Count<Source, Float16>(tensor, converted);
    case at::kBFloat16:
      return Count<Source, BFloat16>(tensor, converted);
    default:
      return {};
  }
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
    case at::kFloat8_e5m2:
      return CountWithExponent<uint8_t>(data, tensor.numel(), 0x7c);
    case at::kFloat8_e4m3fn:
      return CountWithExponent<uint8_t>(data, tensor.numel(), 0x7f);
    default:
      return 0;
  }
}

Underflow CountUnderflow(const at::Tensor& tensor, const at::Tensor& converted) {
  switch (tensor.scalar_type()) {
    case at::kDouble:
      return CountFrom<Float64>(tensor, converted);
    case at::kFloat:
      return CountFrom<Float32>(tensor, converted);
    case at::kBFloat16:
      return CountFrom<BFloat16>(tensor, converted);
    default:
      return {};  // The smallest float16 and float8 are normal numbers in all others, or numbers of float16.
  }
}

}  // namespace modelport
