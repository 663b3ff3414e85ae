#ifndef MODELPORT_COMMON_CHECKPOINT_ZIP_DIRECTORY_H_
#define MODELPORT_COMMON_CHECKPOINT_ZIP_DIRECTORY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace modelport {

// A file within a zip archive, stored without compression.
struct ZipRecord {
  absl::string_view name;
  absl::string_view bytes;  // Borrowed from the archive.
  uint32_t crc32;           // As the archive states it, not verified.
};

// The records of a zip archive, of any size (zip64), in the order of its central directory. Strict: the directory, the
// records' own headers and data descriptors agree, and no two records overlap.
//   DataLoss        the archive is truncated or damaged
//   Unimplemented   a compressed or encrypted record, an archive in several volumes
absl::StatusOr<std::vector<ZipRecord>> ReadZipDirectory(absl::string_view archive);

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_ZIP_DIRECTORY_H_
