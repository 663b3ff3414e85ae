#include "common/tensor/shape.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace modelport {

std::string ShapeString(const Shape& shape) { return absl::StrCat("[", absl::StrJoin(shape, ", "), "]"); }

absl::optional<int64_t> ElementCount(const Shape& shape) {
  int64_t count = 1;
  bool empty = false;
  for (const int64_t size : shape) {
    if (size < 0) return absl::nullopt;
    empty |= size == 0;
    if (size != 0 && __builtin_mul_overflow(count, size, &count)) return absl::nullopt;
  }
  return empty ? 0 : count;
}

std::vector<int64_t> RowMajorStrides(const Shape& shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i] > 0 ? shape[i] : 1;
  }
  return strides;
}

bool NextIndex(const Shape& shape, Shape* index) {
  for (size_t i = shape.size(); i-- > 0;) {
    if (++(*index)[i] < shape[i]) return true;
    (*index)[i] = 0;
  }
  return false;
}

}  // namespace modelport
