#include "common/operation/array.h"

#include <cstring>
#include <utility>

namespace modelport {
namespace {

// The bytes of the elements with one index in each of the first `dims` dimensions.
int64_t BytesBelow(const TensorView& view, int64_t dims) {
  return *ElementCount(Shape(view.shape.begin() + dims, view.shape.end())) * ByteSize(view.dtype);
}

}  // namespace

std::pair<Array, char*> NewArray(DType dtype, Shape shape) {
  const std::shared_ptr<char[]> memory = std::make_shared_for_overwrite<char[]>(*ElementCount(shape) * ByteSize(dtype));
  std::vector<int64_t> strides = RowMajorStrides(shape);
  return {Array{{dtype, std::move(shape), std::move(strides), memory.get()}, memory}, memory.get()};
}

Array ZeroArray(DType dtype, Shape shape) {
  auto [array, memory] = NewArray(dtype, std::move(shape));
  std::memset(memory, 0, BytesBelow(array.view, 0));
  return array;
}

Array RowMajor(const Array& array) {
  if (array.view.strides == RowMajorStrides(array.view.shape)) return array;
  auto [copy, memory] = NewArray(array.view.dtype, array.view.shape);
  CopyRowMajor(array.view, memory);
  return copy;
}

Array Slice(Array array, int64_t dim, int64_t begin, int64_t size) {
  TensorView& view = array.view;
  if (begin != 0) view.data += begin * view.strides[dim] * ByteSize(view.dtype);
  view.shape[dim] = size;
  return array;
}

Array Join(const std::vector<Array>& arrays, int64_t dim) {
  Shape shape = arrays.front().view.shape;
  shape[dim] = 0;
  for (const Array& array : arrays) shape[dim] += array.view.shape[dim];
  auto [joined, memory] = NewArray(arrays.front().view.dtype, shape);
  const int64_t rows = *ElementCount(Shape(shape.begin(), shape.begin() + dim));
  const int64_t row_bytes = BytesBelow(joined.view, dim);
  for (const Array& array : arrays) {
    const Array part = RowMajor(array);
    const int64_t part_bytes = BytesBelow(part.view, dim);
    for (int64_t row = 0; row < rows && part_bytes > 0; ++row) {
      std::memcpy(memory + row * row_bytes, part.view.data + row * part_bytes, part_bytes);
    }
    memory += part_bytes;
  }
  return joined;
}

}  // namespace modelport
