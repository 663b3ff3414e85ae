#include "tools/diff/compare_elements.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <variant>

#include "common/tensor/dtype.h"
#include "common/tensor/number.h"
#include "common/tensor/shape.h"

namespace modelport {
namespace {

constexpr int64_t kBlock = 4096;

template <typename T>
void Widen(const char* data, int64_t count, double* out) {
  for (int64_t i = 0; i < count; ++i) {
    T element;
    std::memcpy(&element, data + i * sizeof(T), sizeof(T));
    out[i] = static_cast<double>(element);
  }
}

void WidenSmallFloats(DType dtype, const char* data, int64_t count, double* out) {
  for (int64_t i = 0; i < count; ++i) {
    const Number number = ReadNumber(dtype, data + i * ByteSize(dtype));
    out[i] = *std::get_if<double>(&number);
  }
}

// The elements from `begin` on, as doubles.
void Widen(const TensorView& view, int64_t begin, int64_t count, double* out) {
  const char* const data = view.data + begin * ByteSize(view.dtype);
  switch (view.dtype) {
    case DType::kFloat64:
      return Widen<double>(data, count, out);
    case DType::kFloat32:
      return Widen<float>(data, count, out);
    case DType::kFloat16:
    case DType::kBFloat16:
      return WidenSmallFloats(view.dtype, data, count, out);
    case DType::kInt64:
      return Widen<int64_t>(data, count, out);
    case DType::kInt32:
      return Widen<int32_t>(data, count, out);
    case DType::kInt16:
      return Widen<int16_t>(data, count, out);
    case DType::kInt8:
      return Widen<int8_t>(data, count, out);
    case DType::kUInt8:
    case DType::kBool:
      return Widen<uint8_t>(data, count, out);
  }
}

// Sums over the pairs of finite elements.
struct Sums {
  int64_t pairs = 0;
  double abs = 0, a_a = 0, b_b = 0, a_b = 0;
};

double Cosine(const Sums& sums) {
  if (sums.a_a == 0 || sums.b_b == 0) return sums.a_a == sums.b_b ? 1 : 0;
  return sums.a_b / (std::sqrt(sums.a_a) * std::sqrt(sums.b_b));
}

void CompareBlock(const TensorView& a, const TensorView& b, int64_t begin, int64_t count, ElementDifference* difference,
                  Sums* sums) {
  double a_elements[kBlock], b_elements[kBlock];
  Widen(a, begin, count, a_elements);
  Widen(b, begin, count, b_elements);
  const int64_t size = ByteSize(a.dtype);
  for (int64_t i = 0; i < count; ++i) {
    const double x = a_elements[i], y = b_elements[i];
    const bool equal = a.dtype == b.dtype
                           ? std::memcmp(a.data + (begin + i) * size, b.data + (begin + i) * size, size) == 0
                           : x == y || (std::isnan(x) && std::isnan(y));
    difference->equal += equal;
    if (!std::isfinite(x) || !std::isfinite(y)) {
      difference->nonfinite += !equal;
      continue;
    }
    const double abs = std::abs(x - y);
    difference->max_abs = std::max(difference->max_abs, abs);
    ++sums->pairs;
    sums->abs += abs;
    sums->a_a += x * x;
    sums->b_b += y * y;
    sums->a_b += x * y;
  }
}

}  // namespace

ElementDifference CompareElements(const TensorView& a, const TensorView& b) {
  ElementDifference difference;
  difference.elements = *ElementCount(a.shape);
  const int64_t bytes = difference.elements * ByteSize(a.dtype);
  if (a.dtype == b.dtype && (bytes == 0 || std::memcmp(a.data, b.data, bytes) == 0)) {
    difference.equal = difference.elements;
    return difference;
  }
  Sums sums;
  for (int64_t begin = 0; begin < difference.elements; begin += kBlock) {
    CompareBlock(a, b, begin, std::min(kBlock, difference.elements - begin), &difference, &sums);
  }
  if (sums.pairs > 0) difference.mean_abs = sums.abs / sums.pairs;
  difference.cosine = Cosine(sums);
  return difference;
}

}  // namespace modelport
