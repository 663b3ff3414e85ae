#ifndef MODELPORT_COMMON_CHECKPOINT_NUMPY_ARRAY_H_
#define MODELPORT_COMMON_CHECKPOINT_NUMPY_ARRAY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/checkpoint/pickle/value.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"

namespace modelport {

// An array of NumPy as a pickle describes it. Its shape is that of the file and not checked yet.
struct NumpyArray {
  DType dtype;
  Shape shape;
  bool is_column_major = false;
  const pickle::Value* bytes = nullptr;  // Of its elements: a Bytes, or the call that would decode them from a text.
};

// The array that `value` would make; nullopt if it is none, or one of a dtype that no tensor has: of objects, of
// unsigned integers above 8 bits, big-endian.
absl::optional<NumpyArray> AsNumpyArray(const pickle::Value& value);

// What the bytes of an array are in the file, before they are decoded: `is_text` if they are a text of the characters
// U+0000 to U+00FF in UTF-8, one for each byte, as pickles of protocol 2 and below have them, torch.save's too.
struct StoredBytes {
  absl::string_view bytes;
  bool is_text;
};

// nullopt if `value` is neither.
absl::optional<StoredBytes> BytesOfArray(const pickle::Value& value);

// The bytes that such a text stands for. DataLoss if it has another character.
absl::StatusOr<std::string> DecodeText(absl::string_view text);

// The strides of an array of `shape` whose first index runs fastest.
std::vector<int64_t> ColumnMajorStrides(const Shape& shape);

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_NUMPY_ARRAY_H_
