#ifndef MODELPORT_COMMON_CHECKPOINT_ZIP_END_H_
#define MODELPORT_COMMON_CHECKPOINT_ZIP_END_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace modelport {

// The bytes of an entry of the central directory, without its name, extra field and comment.
inline constexpr size_t kZipEntrySize = 46;

// The position of the central directory in a zip archive, and the number of its entries.
struct CentralDirectory {
  uint64_t offset;
  uint64_t size;
  uint64_t count;
};

// Finds the central directory through the archive's end record, or the zip64 end record if there is one. The directory
// is within the archive and has at least the bytes that its entries need.
//   DataLoss        the archive is truncated or damaged
//   Unimplemented   an archive in several volumes
absl::StatusOr<CentralDirectory> FindCentralDirectory(absl::string_view archive);

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_ZIP_END_H_
