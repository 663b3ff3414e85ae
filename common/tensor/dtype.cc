#include "common/tensor/dtype.h"

namespace modelport {
namespace {

struct Row {
  DType dtype;
  absl::string_view name;
  int64_t byte_size;
};

// In the order of the enum.
constexpr Row kRows[] = {
    {DType::kFloat64, "float64", 8},
    {DType::kFloat32, "float32", 4},
    {DType::kFloat16, "float16", 2},
    {DType::kBFloat16, "bfloat16", 2},
    {DType::kFloat8E4M3, "float8_e4m3fn", 1},
    {DType::kFloat8E5M2, "float8_e5m2", 1},
    {DType::kInt64, "int64", 8},
    {DType::kInt32, "int32", 4},
    {DType::kInt16, "int16", 2},
    {DType::kInt8, "int8", 1},
    {DType::kUInt8, "uint8", 1},
    {DType::kBool, "bool", 1},
    {DType::kUInt16, "uint16", 2},
    {DType::kUInt32, "uint32", 4},
    {DType::kUInt64, "uint64", 8},
    {DType::kComplex64, "complex64", 8},
    {DType::kComplex128, "complex128", 16},
    {DType::kFloat8E4M3FNUZ, "float8_e4m3fnuz", 1},
    {DType::kFloat8E5M2FNUZ, "float8_e5m2fnuz", 1},
    {DType::kFloat8E8M0, "float8_e8m0fnu", 1},
};

}  // namespace

int64_t ByteSize(DType dtype) { return kRows[static_cast<int>(dtype)].byte_size; }

bool IsFloating(DType dtype) { return dtype <= DType::kFloat8E5M2; }

bool HasNumbers(DType dtype) { return dtype <= DType::kBool; }

bool IsComputed(DType dtype) { return HasNumbers(dtype) && !(IsFloating(dtype) && ByteSize(dtype) == 1); }

bool IsArtifactDType(DType dtype) {
  return dtype == DType::kFloat32 || dtype == DType::kFloat16 || dtype == DType::kBFloat16;
}

absl::string_view DTypeName(DType dtype) { return kRows[static_cast<int>(dtype)].name; }

absl::optional<DType> ParseDType(absl::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.dtype;
  }
  return absl::nullopt;
}

}  // namespace modelport
