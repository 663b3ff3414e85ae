#include "common/artifact/compare_values.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/jit_type.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

std::string Description(const at::Tensor& tensor) {
  return absl::StrCat(c10::toString(tensor.scalar_type()), " [", absl::StrJoin(tensor.sizes(), ", "), "]");
}

// What differences of these elements are measured by. A single one has no range.
double Size(const at::Tensor& elements) {
  const double largest = elements.max().item<double>(), smallest = elements.min().item<double>();
  return largest > smallest ? largest - smallest : std::abs(largest);
}

absl::StatusOr<Difference> CompareTensors(const at::Tensor& expected, const at::Tensor& actual,
                                          absl::string_view name) {
  if (expected.scalar_type() != actual.scalar_type() || expected.sizes() != actual.sizes()) {
    return absl::DataLossError(absl::StrCat(name, " wants ", Description(expected), ", has ", Description(actual)));
  }
  if (expected.numel() == 0 || BitwiseEqual(expected, actual)) return Difference();
  const at::Tensor a = expected.to(at::kDouble), b = actual.to(at::kDouble);
  if (!at::equal(at::isfinite(a), at::isfinite(b))) {
    return absl::DataLossError(absl::StrCat(name, " has NaN or infinite values in other places"));
  }
  const at::Tensor finite = at::isfinite(a);
  Difference difference;
  difference.max_abs = at::where(finite, (a - b).abs(), at::zeros({}, at::kDouble)).max().item<double>();
  const at::Tensor values = a.masked_select(finite);
  const double size = values.numel() > 0 ? Size(values) : 0;
  difference.relative = size > 0 ? difference.max_abs / size : difference.max_abs;
  return difference;
}

// Compares two sequences item by item; `item` gives the pair and name of each.
template <typename Sequence>
absl::StatusOr<Difference> CompareSequences(const Sequence& expected, const Sequence& actual, absl::string_view name) {
  if (expected.size() != actual.size()) {
    return absl::DataLossError(absl::StrCat(name, " wants ", expected.size(), " items, has ", actual.size()));
  }
  Difference worst;
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSIGN_OR_RETURN(const Difference item, CompareValues(expected[i], actual[i], absl::StrCat(name, "[", i, "]")));
    worst.max_abs = std::max(worst.max_abs, item.max_abs);
    worst.relative = std::max(worst.relative, item.relative);
  }
  return worst;
}

absl::StatusOr<Difference> CompareDicts(const c10::impl::GenericDict& expected, const c10::impl::GenericDict& actual,
                                        absl::string_view name) {
  std::vector<c10::IValue> expected_items, actual_items;
  for (const auto& entry : expected) {
    const auto found = actual.find(entry.key());
    if (found == actual.end()) {
      return absl::DataLossError(absl::StrCat(name, " has no ", entry.key().toStringRef()));
    }
    expected_items.push_back(entry.value());
    actual_items.push_back(found->value());
  }
  if (expected.size() != actual.size()) return absl::DataLossError(absl::StrCat(name, " has other keys"));
  return CompareSequences(expected_items, actual_items, name);
}

}  // namespace

bool BitwiseEqual(const at::Tensor& a, const at::Tensor& b) {
  if (a.scalar_type() != b.scalar_type() || a.sizes() != b.sizes()) return false;
  if (a.numel() == 0) return true;
  const at::Tensor x = a.contiguous(), y = b.contiguous();
  return std::memcmp(x.const_data_ptr(), y.const_data_ptr(), x.nbytes()) == 0;
}

absl::StatusOr<Difference> CompareValues(const c10::IValue& expected, const c10::IValue& actual,
                                         absl::string_view name) {
  if (expected.tagKind() != actual.tagKind()) {
    return absl::DataLossError(absl::StrCat(name, " wants ", expected.tagKind(), ", has ", actual.tagKind()));
  }
  if (expected.isTensor()) return CompareTensors(expected.toTensor(), actual.toTensor(), name);
  if (expected.isTuple()) {
    return CompareSequences(expected.toTupleRef().elements().vec(), actual.toTupleRef().elements().vec(), name);
  }
  if (expected.isList()) return CompareSequences(expected.toListRef().vec(), actual.toListRef().vec(), name);
  if (expected.isGenericDict()) return CompareDicts(expected.toGenericDict(), actual.toGenericDict(), name);
  if (expected != actual) return absl::DataLossError(absl::StrCat(name, " differs"));
  return Difference();
}

}  // namespace modelport
