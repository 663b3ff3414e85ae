#ifndef MODELPORT_COMMON_OPERATION_ARRAY_H_
#define MODELPORT_COMMON_OPERATION_ARRAY_H_

#include <memory>
#include <utility>
#include <vector>

#include "common/tensor/tensor_view.h"

namespace modelport {

// The elements of a tensor between two operations: in a file, or in memory that the array owns.
struct Array {
  TensorView view;
  std::shared_ptr<const char[]> memory = nullptr;  // Null where `view` is in a file.
};

// A row-major array and its memory, to be written.
std::pair<Array, char*> NewArray(DType dtype, Shape shape);

// Row-major zeros.
Array ZeroArray(DType dtype, Shape shape);

// The same elements in row-major order: `array` itself if they are, or else a copy.
Array RowMajor(const Array& array);

// The elements with index `begin` to `begin + size` of dimension `dim`, as a view of the same memory.
Array Slice(Array array, int64_t dim, int64_t begin, int64_t size);

// Joins arrays of one dtype, which differ in dimension `dim` only, along it. Copies them.
Array Join(const std::vector<Array>& arrays, int64_t dim);

}  // namespace modelport

#endif  // MODELPORT_COMMON_OPERATION_ARRAY_H_
