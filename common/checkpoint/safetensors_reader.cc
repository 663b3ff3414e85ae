#include "common/checkpoint/safetensors_reader.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/checkpoint/budget.h"
#include "common/checkpoint/safetensors_dtype.h"
#include "common/checkpoint/safetensors_header.h"
#include "common/io/byte_reader.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

constexpr uint64_t kMaxHeaderSize = 100'000'000;

absl::StatusOr<absl::string_view> ReadHeaderText(ByteReader& reader) {
  const absl::optional<uint64_t> size = reader.ReadNumber<uint64_t>();
  if (!size) return absl::DataLossError("truncated: no header length");
  if (*size > kMaxHeaderSize) {
    return absl::DataLossError(absl::StrCat("header length ", *size, " is more than 100 MB: the file is damaged"));
  }
  const size_t has = reader.remaining();
  const absl::optional<absl::string_view> text = reader.ReadBytes(*size);
  if (text) return *text;
  return absl::DataLossError(absl::StrCat("truncated: the header wants ", *size, " bytes, the file has ", has,
                                          "\n  download or copy it again"));
}

// Checks that the tensors cover the data from its first byte to its last, no byte twice.
absl::Status CheckCoverage(const std::vector<SafetensorsEntry>& entries, uint64_t data_size) {
  std::vector<const SafetensorsEntry*> sorted;
  for (const SafetensorsEntry& entry : entries) sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(), [](const SafetensorsEntry* a, const SafetensorsEntry* b) {
    return std::pair(a->begin, a->end) < std::pair(b->begin, b->end);
  });
  uint64_t position = 0;
  for (const SafetensorsEntry* entry : sorted) {
    if (entry->begin != position || entry->end < entry->begin) {
      return absl::DataLossError(absl::StrCat(Brief(entry->key), ": its data_offsets [", entry->begin, ", ", entry->end,
                                              "] leave a hole or overlap: the data before it ends at ", position));
    }
    position = entry->end;
  }
  if (position == data_size) return absl::OkStatus();
  const absl::string_view cause = position > data_size ? "truncated" : "bytes follow the last tensor";
  return absl::DataLossError(absl::StrCat(cause, ": the tensors take ", position, " bytes, the file has ", data_size,
                                          " after its header\n  download or copy it again"));
}

// Moves the key and the shape out of `entry`.
absl::StatusOr<CheckpointTensor> MakeTensor(SafetensorsEntry& entry, int storage) {
  const absl::optional<DType> known = ParseSafetensorsDType(entry.dtype);
  if (!known) return absl::UnimplementedError(absl::StrCat("dtype ", Brief(entry.dtype), " is not supported"));
  const DType dtype = *known;
  const absl::optional<int64_t> count = ElementCount(entry.shape);
  int64_t size;
  if (!count || __builtin_mul_overflow(*count, ByteSize(dtype), &size) ||
      static_cast<uint64_t>(size) != entry.end - entry.begin) {
    return absl::DataLossError(absl::StrCat("shape ", ShapeString(entry.shape), " of ", DTypeName(dtype),
                                            " does not take the ", entry.end - entry.begin, " bytes of its data"));
  }
  std::vector<int64_t> strides = RowMajorStrides(entry.shape);
  return CheckpointTensor{std::move(entry.key), dtype, std::move(entry.shape), std::move(strides), 0, storage};
}

}  // namespace

absl::StatusOr<CheckpointContents> ReadSafetensors(absl::string_view file) {
  ByteReader reader(file);
  ASSIGN_OR_RETURN(const absl::string_view text, ReadHeaderText(reader));
  Budget budget(file.size());
  ASSIGN_OR_RETURN(SafetensorsHeader header, ParseSafetensorsHeader(text, budget));
  const absl::string_view data = file.substr(reader.offset());
  RETURN_IF_ERROR(CheckCoverage(header.entries, data.size()));
  if (header.entries.empty()) return absl::InvalidArgumentError("holds no tensors");

  CheckpointContents contents;
  StateDict dict;
  contents.storages.reserve(header.entries.size());
  dict.tensors.reserve(header.entries.size());
  for (SafetensorsEntry& entry : header.entries) {
    absl::StatusOr<CheckpointTensor> tensor = MakeTensor(entry, static_cast<int>(contents.storages.size()));
    if (!tensor.ok()) return Annotate(tensor.status(), Brief(entry.key));
    contents.storages.push_back({"", data.substr(entry.begin, entry.end - entry.begin), absl::nullopt});
    dict.tensors.push_back(*std::move(tensor));
  }
  contents.format = "safetensors";
  contents.state_dicts.push_back(std::move(dict));
  contents.metadata = std::move(header.metadata);
  return contents;
}

}  // namespace modelport
