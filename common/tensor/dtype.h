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
  kFloat8E4M3,  // "float8_e4m3fn": no infinity.
  kFloat8E5M2,
  kInt64,
  kInt32,
  kInt16,
  kInt8,
  kUInt8,
  kBool,
  // Those of which no layer makes use. A file may hold them; no slot takes them, and their elements are only bytes.
  kUInt16,
  kUInt32,
  kUInt64,
  kComplex64,
  kComplex128,
  kFloat8E4M3FNUZ,
  kFloat8E5M2FNUZ,
  kFloat8E8M0,
};

// Bytes of one element.
int64_t ByteSize(DType dtype);

// True for the floating dtypes that layers take: those of 64, 32 and 16 bits, which convert into one another, and the
// two of 8 bits, which convert into those.
bool IsFloating(DType dtype);

// True if Number (number.h) holds the elements: for the floating dtypes that layers take, signed integers, uint8 and
// bool.
bool HasNumbers(DType dtype);

// True if HasNumbers and LibTorch's operators compute in the dtype: not for floating ones of 8 bits.
bool IsComputed(DType dtype);

// True for the dtypes that the weights of an artifact can have: float32, float16 and bfloat16.
bool IsArtifactDType(DType dtype);

// The torch name, such as "float32".
absl::string_view DTypeName(DType dtype);

// The inverse of DTypeName; nullopt for an unknown name.
absl::optional<DType> ParseDType(absl::string_view name);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TENSOR_DTYPE_H_
