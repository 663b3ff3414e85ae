#include "common/checkpoint/safetensors_writer.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "common/io/byte_reader.h"
#include "nlohmann/json.hpp"

namespace modelport {
namespace {

struct Row {
  absl::string_view name;
  DType dtype;
};

// In the order of the library's enum.
constexpr Row kRows[] = {
    {"BOOL", DType::kBool},
    {"U8", DType::kUInt8},
    {"I8", DType::kInt8},
    {"F8_E5M2", DType::kFloat8E5M2},
    {"F8_E4M3", DType::kFloat8E4M3},
    {"F8_E8M0", DType::kFloat8E8M0},
    {"F8_E4M3FNUZ", DType::kFloat8E4M3FNUZ},
    {"F8_E5M2FNUZ", DType::kFloat8E5M2FNUZ},
    {"I16", DType::kInt16},
    {"U16", DType::kUInt16},
    {"F16", DType::kFloat16},
    {"BF16", DType::kBFloat16},
    {"I32", DType::kInt32},
    {"U32", DType::kUInt32},
    {"F32", DType::kFloat32},
    {"C64", DType::kComplex64},
    {"F64", DType::kFloat64},
    {"I64", DType::kInt64},
    {"U64", DType::kUInt64},
};

const Row* Find(DType dtype) {
  return std::find_if(std::begin(kRows), std::end(kRows), [=](const Row& row) { return row.dtype == dtype; });
}

}  // namespace

bool ComesBefore(const SafetensorsTensor& a, const SafetensorsTensor& b) {
  const int a_rank = SafetensorsRank(a.dtype), b_rank = SafetensorsRank(b.dtype);
  return a_rank != b_rank ? a_rank > b_rank : a.key < b.key;
}

std::string SafetensorsHeader(const std::vector<SafetensorsTensor>& tensors,
                              const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  // Entries are appended in time that does not depend on their number; operator[] would search for the key.
  auto& entries = header.get_ref<nlohmann::ordered_json::object_t&>();
  int64_t offset = 0;
  for (const SafetensorsTensor& tensor : tensors) {
    const int64_t end = offset + *ElementCount(tensor.shape) * ByteSize(tensor.dtype);
    entries.push_back({tensor.key,
                       {{"dtype", std::string(SafetensorsDTypeName(tensor.dtype))},
                        {"shape", tensor.shape},
                        {"data_offsets", {offset, end}}}});
    offset = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return LittleEndian<uint64_t>(text.size()) + text;
}

absl::string_view SafetensorsDTypeName(DType dtype) { return Find(dtype)->name; }

absl::optional<DType> ParseSafetensorsDType(absl::string_view name) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows), [=](const Row& r) { return r.name == name; });
  return row == std::end(kRows) ? absl::nullopt : absl::make_optional(row->dtype);
}

int SafetensorsRank(DType dtype) { return static_cast<int>(Find(dtype) - std::begin(kRows)); }

}  // namespace modelport
