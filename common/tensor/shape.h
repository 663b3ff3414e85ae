#ifndef MODELPORT_COMMON_TENSOR_SHAPE_H_
#define MODELPORT_COMMON_TENSOR_SHAPE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/optional.h"

namespace modelport {

// The sizes of a tensor's dimensions, or an index into each of them; outermost first, empty for a scalar.
using Shape = std::vector<int64_t>;

// "[3, 224, 224]".
std::string ShapeString(const Shape& shape);

// The number of elements; nullopt if a size is negative or the product of the sizes other than 0, which the strides of
// an empty tensor take, overflows.
absl::optional<int64_t> ElementCount(const Shape& shape);

// The strides, in elements, of a row-major tensor of `shape`, whose ElementCount is known.
std::vector<int64_t> RowMajorStrides(const Shape& shape);

// Advances `index`, the indices of one element, to the next element in row-major order. After the last one it returns
// false and the index is all zeros again. No size is 0.
bool NextIndex(const Shape& shape, Shape* index);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TENSOR_SHAPE_H_
