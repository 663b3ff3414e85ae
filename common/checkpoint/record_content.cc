#include "common/checkpoint/record_content.h"

#include <libdeflate.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"

namespace modelport {

absl::Status CheckCrc32(const ZipRecord& record, absl::string_view content) {
  if (libdeflate_crc32(0, content.data(), content.size()) == record.crc32) return absl::OkStatus();
  return absl::DataLossError("the CRC-32 differs: the file is damaged\n  download or copy it again");
}

absl::StatusOr<std::string> InflateRecord(const ZipRecord& record, uint64_t max_size) {
  if (record.size > max_size) {
    return absl::ResourceExhaustedError(absl::StrCat("wants at most ", max_size, " bytes, inflates to ", record.size));
  }
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> inflater(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  std::string content(record.size, '\0');
  // Without a pointer for the actual size, libdeflate fails unless the content has exactly the given size.
  const libdeflate_result result = libdeflate_deflate_decompress(
      inflater.get(), record.bytes.data(), record.bytes.size(), content.data(), content.size(), nullptr);
  if (result != LIBDEFLATE_SUCCESS) {
    return absl::DataLossError(absl::StrCat("does not inflate to the ", record.size, " bytes that the archive states\n",
                                            "  download or copy the file again"));
  }
  RETURN_IF_ERROR(CheckCrc32(record, content));
  return content;
}

}  // namespace modelport
