#include "common/checkpoint/tensor_bounds.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"

namespace modelport {
namespace {

// One past the index in the storage of the element furthest from its beginning; nullopt on overflow. No size is 0.
absl::optional<int64_t> EndElement(const CheckpointTensor& tensor) {
  int64_t end = tensor.offset;
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    int64_t span;
    if (__builtin_mul_overflow(tensor.shape[i] - 1, tensor.strides[i], &span)) return absl::nullopt;
    if (__builtin_add_overflow(end, span, &end)) return absl::nullopt;
  }
  if (__builtin_add_overflow(end, 1, &end)) return absl::nullopt;
  return end;
}

std::string Describe(const CheckpointTensor& tensor) {
  return absl::StrCat("shape ", ShapeString(tensor.shape), ", strides [", absl::StrJoin(tensor.strides, ", "),
                      "], offset ", tensor.offset);
}

}  // namespace

absl::Status CheckTensorBounds(const CheckpointTensor& tensor, int64_t storage_bytes, int64_t max_bytes) {
  bool negative = tensor.offset < 0;
  for (const int64_t stride : tensor.strides) negative |= stride < 0;
  const absl::optional<int64_t> count = ElementCount(tensor.shape);
  if (tensor.strides.size() != tensor.shape.size() || negative || !count) {
    return absl::DataLossError(absl::StrCat(Describe(tensor), " describe no tensor"));
  }
  const int64_t byte_size = ByteSize(tensor.dtype);
  const int64_t elements = storage_bytes / byte_size;
  const absl::optional<int64_t> end = *count == 0 ? tensor.offset : EndElement(tensor);
  if (!end || *end > elements) {
    return absl::DataLossError(
        absl::StrCat(Describe(tensor), " reach beyond the storage, which has ", elements, " elements"));
  }
  if (*count > max_bytes / byte_size) {
    return absl::DataLossError(absl::StrCat(Describe(tensor), " expand to more bytes than the file has"));
  }
  return absl::OkStatus();
}

}  // namespace modelport
