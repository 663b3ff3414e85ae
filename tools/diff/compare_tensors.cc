#include "tools/diff/compare_tensors.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>
#include <variant>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
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
    case DType::kFloat8E4M3:
    case DType::kFloat8E5M2:
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
    case DType::kFloat8E4M3FNUZ:
    case DType::kFloat8E5M2FNUZ:
    case DType::kFloat8E8M0:
      return Widen<uint8_t>(data, count, out);
    case DType::kUInt16:
      return Widen<uint16_t>(data, count, out);
    case DType::kUInt32:
      return Widen<uint32_t>(data, count, out);
    case DType::kUInt64:
      return Widen<uint64_t>(data, count, out);
    // Taken apart by InParts.
    case DType::kComplex64:
    case DType::kComplex128:
      return;
  }
}

// Of a complex dtype, that of the real and the imaginary part; nullopt for the others.
absl::optional<DType> PartOf(DType dtype) {
  if (dtype == DType::kComplex64) return DType::kFloat32;
  return dtype == DType::kComplex128 ? absl::make_optional(DType::kFloat64) : absl::nullopt;
}

// Whether the elements are codes of numbers that nothing here decodes.
bool IsCode(DType dtype) {
  return dtype == DType::kFloat8E4M3FNUZ || dtype == DType::kFloat8E5M2FNUZ || dtype == DType::kFloat8E8M0;
}

// A view of the real and the imaginary parts, one after the other.
TensorView InParts(const TensorView& view) {
  Shape shape = view.shape;
  shape.push_back(2);
  return {*PartOf(view.dtype), shape, RowMajorStrides(shape), view.data};
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

// Whether these elements are one number. A double does not hold each integer beyond 2^53.
bool IsOneNumber(DType a_dtype, const char* a, double x, DType b_dtype, const char* b, double y) {
  if (std::abs(x) < 9007199254740992 || !HasNumbers(a_dtype) || !HasNumbers(b_dtype)) {
    return x == y || (std::isnan(x) && std::isnan(y));
  }
  return IsSameNumber(ReadNumber(a_dtype, a), ReadNumber(b_dtype, b));
}

void CompareBlock(const TensorView& a, const TensorView& b, int64_t begin, int64_t count, ElementDifference* difference,
                  Sums* sums) {
  double a_elements[kBlock], b_elements[kBlock];
  Widen(a, begin, count, a_elements);
  Widen(b, begin, count, b_elements);
  const int64_t a_size = ByteSize(a.dtype), b_size = ByteSize(b.dtype);
  for (int64_t i = 0; i < count; ++i) {
    const double x = a_elements[i], y = b_elements[i];
    const char* const a_element = a.data + (begin + i) * a_size;
    const char* const b_element = b.data + (begin + i) * b_size;
    const bool equal = a.dtype == b.dtype ? std::memcmp(a_element, b_element, a_size) == 0
                                          : IsOneNumber(a.dtype, a_element, x, b.dtype, b_element, y);
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

// The elements of a tensor in row-major order: in the file, or in memory of its own.
class RowMajorElements {
 public:
  static absl::StatusOr<RowMajorElements> Read(const std::string& name, const SlotSource& source) {
    RowMajorElements elements;
    const absl::optional<TensorView> view = source.view();
    if (view && view->strides == RowMajorStrides(view->shape)) {
      elements.view_ = *view;
      return elements;
    }
    elements.memory_ = std::make_unique_for_overwrite<char[]>(*ElementCount(source.shape()) * ByteSize(source.dtype()));
    if (const absl::Status status = source.Evaluate(elements.memory_.get()); !status.ok()) {
      return Annotate(Annotate(status, name), source.inputs().front().checkpoint.path());
    }
    elements.view_ = {source.dtype(), source.shape(), RowMajorStrides(source.shape()), elements.memory_.get()};
    return elements;
  }

  const TensorView& view() const { return view_; }

 private:
  std::unique_ptr<char[]> memory_;
  TensorView view_;
};

TensorComparison::Header HeaderOf(const SlotSource& source) { return {source.dtype(), source.shape()}; }

absl::StatusOr<TensorComparison> Compare(const std::string& name, const SlotSource& a, const SlotSource& b) {
  TensorComparison comparison = {name, HeaderOf(a), HeaderOf(b), absl::nullopt};
  if (a.shape() != b.shape()) return comparison;
  ASSIGN_OR_RETURN(const RowMajorElements a_elements, RowMajorElements::Read(name, a));
  ASSIGN_OR_RETURN(const RowMajorElements b_elements, RowMajorElements::Read(name, b));
  comparison.values = CompareElements(a_elements.view(), b_elements.view());
  return comparison;
}

}  // namespace

ElementDifference CompareElements(const TensorView& a, const TensorView& b) {
  if (PartOf(a.dtype) && PartOf(b.dtype)) return CompareElements(InParts(a), InParts(b));
  ElementDifference difference;
  difference.elements = *ElementCount(a.shape);
  if (PartOf(a.dtype) || PartOf(b.dtype)) return difference;
  if (a.dtype != b.dtype && (IsCode(a.dtype) || IsCode(b.dtype))) return difference;
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

TensorComparison::Kind TensorComparison::kind() const {
  if (!b) return Kind::kOnlyA;
  if (!a) return Kind::kOnlyB;
  if (a->shape != b->shape) return Kind::kShape;
  if (a->dtype != b->dtype) return Kind::kDType;
  return values->is_equal() ? Kind::kEqual : Kind::kValues;
}

absl::StatusOr<std::vector<TensorComparison>> CompareTensors(const std::vector<NamedTensor>& a,
                                                             const std::vector<NamedTensor>& b,
                                                             const std::function<void(int64_t)>& done) {
  absl::flat_hash_map<absl::string_view, const SlotSource*> others;
  for (const NamedTensor& tensor : b) others.emplace(tensor.name, &tensor.source);
  absl::flat_hash_set<absl::string_view> names;
  std::vector<TensorComparison> comparisons;
  for (const NamedTensor& tensor : a) {
    names.insert(tensor.name);
    const auto other = others.find(tensor.name);
    if (other == others.end()) {
      comparisons.push_back({tensor.name, HeaderOf(tensor.source), absl::nullopt, absl::nullopt});
    } else {
      ASSIGN_OR_RETURN(TensorComparison comparison, Compare(tensor.name, tensor.source, *other->second));
      comparisons.push_back(std::move(comparison));
      done(*ElementCount(tensor.source.shape()) * ByteSize(tensor.source.dtype()));
    }
  }
  for (const NamedTensor& tensor : b) {
    if (names.contains(tensor.name)) continue;
    comparisons.push_back({tensor.name, absl::nullopt, HeaderOf(tensor.source), absl::nullopt});
  }
  return comparisons;
}

}  // namespace modelport
