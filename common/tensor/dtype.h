#ifndef MODELPORT_COMMON_TENSOR_DTYPE_H_
#define MODELPORT_COMMON_TENSOR_DTYPE_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace modelport {

// An element type that checkpoints hold. Names are those of torch: "float32", "bfloat16", ...
enum class DType : uint8_t {
  kFloat64,
  kFloat32,
  kFloat16,
  kBFloat16,
  kInt64,
  kInt32,
  kInt16,
  kInt8,
  kUInt8,
  kBool,
};

// Bytes of one element.
int64_t ByteSize(DType dtype);

// True for the four floating dtypes, which convert into one another.
bool IsFloating(DType dtype);

// The torch name, such as "float32".
absl::string_view DTypeName(DType dtype);

// The inverse of DTypeName; nullopt for an unknown name.
absl::optional<DType> ParseDType(absl::string_view name);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TENSOR_DTYPE_H_
