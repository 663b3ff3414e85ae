#ifndef MODELPORT_TOOLS_DIFF_COMPARE_ELEMENTS_H_
#define MODELPORT_TOOLS_DIFF_COMPARE_ELEMENTS_H_

#include <cstdint>

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

// Compares two tensors of one shape, both row-major. Integers are compared as doubles, except for their bits. Takes
// memory that does not depend on their size.
ElementDifference CompareElements(const TensorView& a, const TensorView& b);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_DIFF_COMPARE_ELEMENTS_H_
