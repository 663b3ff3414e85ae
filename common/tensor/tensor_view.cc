#include "common/tensor/tensor_view.h"

#include <cstring>

namespace modelport {

bool TensorView::is_aligned() const { return reinterpret_cast<uintptr_t>(data) % ByteSize(dtype) == 0; }

void CopyRowMajor(const TensorView& view, char* out) {
  const int64_t count = *ElementCount(view.shape);
  if (count == 0) return;
  const int64_t byte_size = ByteSize(view.dtype);
  if (view.strides == RowMajorStrides(view.shape)) {
    std::memcpy(out, view.data, count * byte_size);
    return;
  }
  Shape index(view.shape.size(), 0);
  do {
    int64_t element = 0;
    for (size_t k = 0; k < index.size(); ++k) element += index[k] * view.strides[k];
    std::memcpy(out, view.data + element * byte_size, byte_size);
    out += byte_size;
  } while (NextIndex(view.shape, &index));
}

}  // namespace modelport
