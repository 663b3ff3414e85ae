#ifndef MODELPORT_COMMON_CHECKPOINT_TESTING_ZIP_WRITER_H_
#define MODELPORT_COMMON_CHECKPOINT_TESTING_ZIP_WRITER_H_

#include <string>
#include <utility>
#include <vector>

namespace modelport {

// What a zip archive uses, and what is wrong with it.
struct ZipOptions {
  bool descriptors = false;  // Sizes and CRC-32 after each record, as PyTorch writes them.
  bool zip64 = false;        // Sizes and offsets in zip64 fields, although they are small.
  bool deflate = false;      // Compresses the records; they are stored otherwise.
  bool crc32 = true;         // States 0 for each CRC-32 otherwise.
  int flags = 0;             // More general-purpose flags of each record.
  int method = 0;            // The compression method that stored records claim.
  int first_offset = 0;      // Added to the offset that the central directory states for the first record.
  int extra_size = 0;        // Added to the size that the central directory states for each record.
};

// A zip archive of (name, bytes) records.
std::string ZipArchive(const std::vector<std::pair<std::string, std::string>>& records, const ZipOptions& options = {});

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_TESTING_ZIP_WRITER_H_
