#ifndef MODELPORT_COMMON_CHECKPOINT_RECORD_CONTENT_H_
#define MODELPORT_COMMON_CHECKPOINT_RECORD_CONTENT_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/checkpoint/zip_directory.h"

namespace modelport {

// Compares `content` with the CRC-32 that the archive states for it.
//   DataLoss   they differ
absl::Status CheckCrc32(const ZipRecord& record, absl::string_view content);

// Inflates a deflated record and compares the content with the size and CRC-32 that the archive states. Allocates no
// more than `max_size` bytes.
//   DataLoss            the record is damaged
//   ResourceExhausted   the archive states more than `max_size` bytes for it
absl::StatusOr<std::string> InflateRecord(const ZipRecord& record, uint64_t max_size);

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_RECORD_CONTENT_H_
