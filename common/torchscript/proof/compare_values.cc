#include "common/torchscript/proof/compare_values.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/jit_type.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/view_as_real.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

std::string Description(const at::Tensor& tensor) {
  return absl::StrCat(c10::toString(tensor.scalar_type()), " [", absl::StrJoin(tensor.sizes(), ", "), "]");
}

// Whether the tensor is nothing but an array of elements in the CPU's memory.
bool IsPlain(const at::Tensor& tensor) {
  return tensor.defined() && tensor.layout() == at::kStrided && tensor.device().is_cpu() && !tensor.is_nested() &&
         !tensor.is_quantized() && !tensor._is_zerotensor();
}

// Describes a tensor for which IsPlain is false.
std::string Kind(const at::Tensor& tensor) {
  if (!tensor.defined()) return "an undefined tensor";
  if (tensor.is_nested()) return "a nested tensor";
  if (tensor.is_quantized()) return "a quantized tensor";
  std::ostringstream text;
  text << "a tensor of layout " << tensor.layout() << " on device " << tensor.device();
  return text.str();
}

absl::Status CannotCompare(absl::string_view name, absl::string_view what) {
  return absl::UnimplementedError(
      absl::StrCat(name, " is ", what,
                   "; outputs are compared as dense tensors on the CPU, and lists, tuples, dictionaries of them"));
}

// The size that a difference is divided by: the range of the elements or, if all are equal, their magnitude.
double Size(const at::Tensor& elements) {
  const double largest = elements.max().item<double>(), smallest = elements.min().item<double>();
  return largest > smallest ? largest - smallest : std::abs(largest);
}

// The elements as float64, those of a complex tensor as pairs.
at::Tensor Numbers(const at::Tensor& tensor) {
  return (tensor.is_complex() ? at::view_as_real(tensor.resolve_conj()) : tensor).to(at::kDouble);
}

absl::StatusOr<Difference> CompareNumbers(const at::Tensor& expected, const at::Tensor& actual,
                                          absl::string_view name) {
  const at::Tensor a = Numbers(expected), b = Numbers(actual);
  const at::Tensor finite = at::isfinite(a);
  const at::Tensor agree = (finite & at::isfinite(b)) | (a == b) | (at::isnan(a) & at::isnan(b));
  if (!agree.all().item<bool>()) return absl::DataLossError(absl::StrCat(name, " has other NaN or infinite values"));
  Difference difference;
  difference.max_abs = at::where(finite, (a - b).abs(), at::zeros({}, at::kDouble)).max().item<double>();
  // Large integers that differ may be equal as float64.
  if (at::isIntegralType(expected.scalar_type(), /*includeBool=*/true)) {
    difference.max_abs = std::max(difference.max_abs, 1.0);
  }
  const at::Tensor values = a.masked_select(finite);
  const double size = values.numel() > 0 ? Size(values) : 0;
  difference.relative = size > 0 ? difference.max_abs / size : difference.max_abs;
  return difference;
}

absl::StatusOr<Difference> CompareTensors(const at::Tensor& expected, const at::Tensor& actual,
                                          absl::string_view name) {
  for (const at::Tensor* tensor : {&expected, &actual}) {
    if (!IsPlain(*tensor)) return CannotCompare(name, Kind(*tensor));
  }
  if (expected.scalar_type() != actual.scalar_type() || expected.sizes() != actual.sizes()) {
    return absl::DataLossError(absl::StrCat(name, " wants ", Description(expected), ", has ", Description(actual)));
  }
  if (expected.numel() == 0 || BitwiseEqual(expected, actual)) return Difference();
  return CompareNumbers(expected, actual, name);
}

absl::StatusOr<Difference> Compare(const c10::IValue& expected, const c10::IValue& actual, absl::string_view name,
                                   int depth);

// Compares two sequences item by item.
absl::StatusOr<Difference> CompareSequences(const std::vector<c10::IValue>& expected,
                                            const std::vector<c10::IValue>& actual, absl::string_view name, int depth) {
  if (expected.size() != actual.size()) {
    return absl::DataLossError(absl::StrCat(name, " wants ", expected.size(), " items, has ", actual.size()));
  }
  Difference worst;
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSIGN_OR_RETURN(const Difference item, Compare(expected[i], actual[i], absl::StrCat(name, "[", i, "]"), depth));
    worst.Include(item);
  }
  return worst;
}

std::string KeyString(const c10::IValue& key) {
  if (key.isString()) return absl::StrCat("\"", key.toStringRef(), "\"");
  std::ostringstream text;
  text << key;
  return text.str();
}

// Compares two dictionaries entry by entry; their entries are in the order of insertion.
absl::StatusOr<Difference> CompareDicts(const c10::impl::GenericDict& expected, const c10::impl::GenericDict& actual,
                                        absl::string_view name, int depth) {
  if (expected.keyType()->kind() == c10::TypeKind::TensorType) {
    return CannotCompare(name, "a dictionary with tensors for keys");
  }
  if (expected.size() != actual.size()) {
    return absl::DataLossError(absl::StrCat(name, " wants ", expected.size(), " keys, has ", actual.size()));
  }
  Difference worst;
  auto other = actual.begin();
  for (const auto& entry : expected) {
    const std::string key = KeyString(entry.key());
    if (entry.key() != other->key()) {
      return absl::DataLossError(absl::StrCat(name, " wants the key ", key, ", has ", KeyString(other->key())));
    }
    ASSIGN_OR_RETURN(const Difference item,
                     Compare(entry.value(), other->value(), absl::StrCat(name, "[", key, "]"), depth));
    worst.Include(item);
    ++other;
  }
  return worst;
}

absl::StatusOr<Difference> CompareScalars(const c10::IValue& expected, const c10::IValue& actual,
                                          absl::string_view name) {
  return CompareTensors(at::scalar_tensor(expected.toScalar(), at::kDouble),
                        at::scalar_tensor(actual.toScalar(), at::kDouble), name);
}

absl::StatusOr<Difference> Compare(const c10::IValue& expected, const c10::IValue& actual, absl::string_view name,
                                   int depth) {
  // A list of type Any can contain itself.
  constexpr int kMaxDepth = 50;
  if (depth == kMaxDepth) return CannotCompare(name, "nested deeper than 50 levels");
  if (expected.tagKind() != actual.tagKind()) {
    return absl::DataLossError(absl::StrCat(name, " wants ", expected.tagKind(), ", has ", actual.tagKind()));
  }
  if (expected.isTensor()) return CompareTensors(expected.toTensor(), actual.toTensor(), name);
  if (expected.isTuple()) {
    return CompareSequences(expected.toTupleRef().elements().vec(), actual.toTupleRef().elements().vec(), name,
                            depth + 1);
  }
  if (expected.isList()) {
    return CompareSequences(expected.toListRef().vec(), actual.toListRef().vec(), name, depth + 1);
  }
  if (expected.isGenericDict()) return CompareDicts(expected.toGenericDict(), actual.toGenericDict(), name, depth + 1);
  if (expected.isDouble()) return CompareScalars(expected, actual, name);
  const bool is_exact = expected.isNone() || expected.isInt() || expected.isBool() || expected.isString() ||
                        expected.isComplexDouble() || expected.isDevice();
  if (!is_exact) return CannotCompare(name, absl::StrCat("of type ", expected.type()->annotation_str()));
  if (expected != actual) return absl::DataLossError(absl::StrCat(name, " differs"));
  return Difference();
}

}  // namespace

void Difference::Include(const Difference& other) {
  max_abs = std::max(max_abs, other.max_abs);
  relative = std::max(relative, other.relative);
}

bool BitwiseEqual(const at::Tensor& a, const at::Tensor& b) {
  if (!IsPlain(a) || !IsPlain(b) || a.scalar_type() != b.scalar_type() || a.sizes() != b.sizes()) return false;
  if (a.numel() == 0) return true;
  const at::Tensor x = a.resolve_conj().resolve_neg().contiguous(), y = b.resolve_conj().resolve_neg().contiguous();
  return std::memcmp(x.const_data_ptr(), y.const_data_ptr(), x.nbytes()) == 0;
}

absl::StatusOr<Difference> CompareValues(const c10::IValue& expected, const c10::IValue& actual,
                                         absl::string_view name) {
  absl::StatusOr<absl::StatusOr<Difference>> difference =
      CatchTorch([&] { return Compare(expected, actual, name, /*depth=*/0); });
  if (!difference.ok()) return Annotate(difference.status(), name);
  return *std::move(difference);
}

}  // namespace modelport
