#ifndef MODELPORT_COMMON_CHECKPOINT_ZIP_DIRECTORY_H_
#define MODELPORT_COMMON_CHECKPOINT_ZIP_DIRECTORY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace modelport {

// A file within a zip archive. Its CRC-32 and size are not verified.
struct ZipRecord {
  absl::string_view name;
  absl::string_view bytes;  // Borrowed from the archive: the content, or its deflated form.
  uint32_t crc32 = 0;       // Of the content, as the archive states it.
  uint64_t size = 0;        // Of the content, as the archive states it.
  bool deflated = false;
};

enum class ZipMethods { kStored, kStoredAndDeflated };

// The records of a zip archive, of any size (zip64), in the order of its central directory. Strict: the directory, the
// records' own headers and data descriptors agree, and no two records overlap.
//   DataLoss        the archive is truncated or damaged
//   Unimplemented   a record of a method that is not in `methods`, an encrypted one, an archive in several volumes
absl::StatusOr<std::vector<ZipRecord>> ReadZipDirectory(absl::string_view archive,
                                                        ZipMethods methods = ZipMethods::kStored);

// Compares `content` with the CRC-32 that the archive states for it.
//   DataLoss   they differ
absl::Status CheckCrc32(const ZipRecord& record, absl::string_view content);

// Inflates a deflated record and compares the content with the size and CRC-32 that the archive states. Allocates no
// more than `max_size` bytes.
//   DataLoss            the record is damaged
//   ResourceExhausted   the archive states more than `max_size` bytes for it
absl::StatusOr<std::string> InflateRecord(const ZipRecord& record, uint64_t max_size);

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_ZIP_DIRECTORY_H_
