#ifndef MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_ARCHIVE_WRITER_H_
#define MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_ARCHIVE_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "common/io/writer.h"

namespace modelport {

// Writes a zip archive that LibTorch reads: every record is in the folder archive/, and stored bytes begin at a
// multiple of 64, so that LibTorch can map them. LibTorch's own writer computes each CRC-32 from a table, which takes a
// fifth of the time of an export; this one uses the processor's instructions. The errors are those of `out`.
class ArchiveWriter {
 public:
  // Writes to `out`, which must outlive this object.
  explicit ArchiveWriter(Writer& out) : out_(out) {}

  // Adds a record. `content` may change afterwards.
  absl::Status AddStored(absl::string_view path, absl::string_view content);
  absl::Status AddDeflated(absl::string_view path, absl::string_view content);

  // Adds a stored record with a tensor's bytes, which go to one call of out's WriteLasting.
  absl::Status AddLasting(absl::string_view path, absl::string_view content);

  // Ends the archive. Call it once, after every record.
  absl::Status Finish();

 private:
  // A record as the central directory describes it.
  struct Record {
    std::string name;
    bool deflated = false;
    uint32_t crc32 = 0;        // Of the content.
    uint64_t stored_size = 0;  // Of the bytes in the archive.
    uint64_t size = 0;         // Of the content.
    uint64_t offset = 0;       // Of its header.
  };

  static std::string Header(const Record& record);
  static std::string DirectoryEntry(const Record& record);

  // Writes the header of a record for `content`, of which the archive holds `stored`.
  absl::Status Begin(absl::string_view path, absl::string_view content, absl::string_view stored, bool deflated);
  absl::Status Write(absl::string_view bytes);

  Writer& out_;
  uint64_t size_ = 0;
  std::vector<Record> records_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_ARCHIVE_WRITER_H_
