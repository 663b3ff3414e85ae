#ifndef MODELPORT_TOOLS_DIFF_COMPARE_TENSORS_H_
#define MODELPORT_TOOLS_DIFF_COMPARE_TENSORS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "common/operation/slot_source.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "common/tensor/tensor_view.h"

namespace modelport {

// How the elements of two tensors differ. All numbers but the counts are over the pairs of which both are finite.
struct ElementDifference {
  int64_t elements = 0;
  int64_t equal = 0;      // Pairs with the same bits; of tensors of different dtypes, with the same value.
  int64_t nonfinite = 0;  // Pairs that are not equal and of which one is NaN or infinite.
  double max_abs = 0;     // The largest absolute difference.
  double mean_abs = 0;    // The mean absolute difference, 0 if there is no pair.
  double cosine = 1;      // Of the angle between the tensors as vectors; 1 if both are zero, 0 if one is.

  bool is_equal() const { return equal == elements; }
};

// Compares two tensors of one shape, both row-major. Of complex numbers the parts are the elements, and a complex
// tensor has none in common with another, nor has one of 8-bit codes that are not decoded (float8_e4m3fnuz, e5m2fnuz
// and e8m0). The measures are of integers as doubles, and of such codes. Takes memory that does not depend on their
// size.
ElementDifference CompareElements(const TensorView& a, const TensorView& b);

// A tensor to compare, and the name by which its counterpart is found.
struct NamedTensor {
  std::string name;
  SlotSource source;
};

// The comparison of the tensors of one name.
struct TensorComparison {
  struct Header {
    DType dtype;
    Shape shape;

    bool operator==(const Header&) const = default;
  };
  enum class Kind { kEqual, kValues, kDType, kShape, kOnlyA, kOnlyB };

  std::string name;
  absl::optional<Header> a, b;               // Nullopt where a side has no such tensor.
  absl::optional<ElementDifference> values;  // If the shapes are equal.

  // The first of these that differs: which sides have the tensor, shapes, dtypes, values.
  Kind kind() const;
};

// Compares tensors by name: those of `a` in their order, and then those that only `b` has. Names are unique on each
// side. Calls `done` with the number of bytes of the tensor of `a` after each pair was compared. One pair is in memory
// at a time, unless it is borrowed from files. Fails as SlotSource::Evaluate.
absl::StatusOr<std::vector<TensorComparison>> CompareTensors(const std::vector<NamedTensor>& a,
                                                             const std::vector<NamedTensor>& b,
                                                             const std::function<void(int64_t)>& done);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_DIFF_COMPARE_TENSORS_H_
