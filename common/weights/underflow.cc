#include "common/weights/underflow.h"

#include <c10/core/ScalarType.h>

#include <algorithm>
#include <cstring>

#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"

namespace modelport {
namespace {

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

// Compares `count` elements from `source`, `step` bytes apart, with those from `target`. Without branches, so that it
// vectorises; with counters of 32 bits, which hold a block's counts.
template <typename Source, typename Target>
void CountRow(const char* source, int64_t step, const char* target, int64_t count, Underflow* underflow) {
  constexpr int64_t kBlock = 1 << 20;
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    uint32_t zeros = 0, subnormals = 0;
    for (int64_t i = begin; i < std::min(count, begin + kBlock); ++i) {
      typename Source::Bits from;
      typename Target::Bits to;
      std::memcpy(&from, source + i * step, sizeof(from));  // Mapped data may be misaligned.
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
Underflow Count(const CheckpointTensor& tensor, const char* data, const char* target) {
  constexpr int64_t kSize = sizeof(typename Source::Bits);
  Underflow underflow;
  const int64_t total = *ElementCount(tensor.shape);
  if (total == 0) return underflow;
  if (tensor.strides == RowMajorStrides(tensor.shape)) {
    CountRow<Source, Target>(data, kSize, target, total, &underflow);
    return underflow;
  }
  const size_t last = tensor.shape.size() - 1;
  const int64_t row = tensor.shape[last];
  Shape index(last, 0);
  for (int64_t done = 0; done < total; done += row) {
    int64_t first = 0;
    for (size_t k = 0; k < last; ++k) first += index[k] * tensor.strides[k];
    CountRow<Source, Target>(data + first * kSize, tensor.strides[last] * kSize,
                             target + done * sizeof(typename Target::Bits), row, &underflow);
    for (size_t k = last; k-- > 0;) {
      if (++index[k] < tensor.shape[k]) break;
      index[k] = 0;
    }
  }
  return underflow;
}

template <typename Source>
Underflow CountFrom(const CheckpointTensor& tensor, const char* data, const at::Tensor& converted) {
  const char* target = static_cast<const char*>(converted.const_data_ptr());
  switch (converted.scalar_type()) {
    case at::kFloat:
      return Count<Source, Float32>(tensor, data, target);
    case at::kHalf:
      return Count<Source, Float16>(tensor, data, target);
    case at::kBFloat16:
      return Count<Source, BFloat16>(tensor, data, target);
    default:
      return {};
  }
}

}  // namespace

Underflow CountUnderflow(const CheckpointTensor& tensor, const char* data, const at::Tensor& converted) {
  switch (tensor.dtype) {
    case DType::kFloat64:
      return CountFrom<Float64>(tensor, data, converted);
    case DType::kFloat32:
      return CountFrom<Float32>(tensor, data, converted);
    case DType::kBFloat16:
      return CountFrom<BFloat16>(tensor, data, converted);
    default:
      return {};  // The smallest float16 is a normal number in all others.
  }
}

}  // namespace modelport
