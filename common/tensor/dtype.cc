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
    {DType::kFloat64, "float64", 8},   {DType::kFloat32, "float32", 4}, {DType::kFloat16, "float16", 2},
    {DType::kBFloat16, "bfloat16", 2}, {DType::kInt64, "int64", 8},     {DType::kInt32, "int32", 4},
    {DType::kInt16, "int16", 2},       {DType::kInt8, "int8", 1},       {DType::kUInt8, "uint8", 1},
    {DType::kBool, "bool", 1},
};

}  // namespace

int64_t ByteSize(DType dtype) { return kRows[static_cast<int>(dtype)].byte_size; }

bool IsFloating(DType dtype) { return dtype <= DType::kBFloat16; }

absl::string_view DTypeName(DType dtype) { return kRows[static_cast<int>(dtype)].name; }

absl::optional<DType> ParseDType(absl::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.dtype;
  }
  return absl::nullopt;
}

}  // namespace modelport
