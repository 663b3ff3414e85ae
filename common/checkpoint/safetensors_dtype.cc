#include "common/checkpoint/safetensors_dtype.h"

#include <algorithm>
#include <iterator>

namespace modelport {
namespace {

struct Row {
  absl::string_view name;
  DType dtype;
};

// In the order of the library's enum.
constexpr Row kRows[] = {
    {"BOOL", DType::kBool},   {"U8", DType::kUInt8},      {"I8", DType::kInt8},   {"I16", DType::kInt16},
    {"F16", DType::kFloat16}, {"BF16", DType::kBFloat16}, {"I32", DType::kInt32}, {"F32", DType::kFloat32},
    {"F64", DType::kFloat64}, {"I64", DType::kInt64},
};

const Row* Find(DType dtype) {
  return std::find_if(std::begin(kRows), std::end(kRows), [=](const Row& row) { return row.dtype == dtype; });
}

}  // namespace

absl::string_view SafetensorsDTypeName(DType dtype) { return Find(dtype)->name; }

absl::optional<DType> ParseSafetensorsDType(absl::string_view name) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows), [=](const Row& r) { return r.name == name; });
  return row == std::end(kRows) ? absl::nullopt : absl::make_optional(row->dtype);
}

int SafetensorsRank(DType dtype) { return static_cast<int>(Find(dtype) - std::begin(kRows)); }

}  // namespace modelport
