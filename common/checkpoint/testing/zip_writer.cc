#include "common/checkpoint/testing/zip_writer.h"

#include <libdeflate.h>

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "common/checkpoint/testing/little_endian.h"

namespace modelport {
namespace {

std::string U16(size_t number) { return LittleEndian(static_cast<uint16_t>(number)); }
std::string U32(size_t number) { return LittleEndian(static_cast<uint32_t>(number)); }
std::string U64(size_t number) { return LittleEndian(static_cast<uint64_t>(number)); }

struct Record {
  std::string name;
  std::string bytes;
  uint32_t crc32;
  size_t offset;
};

std::string Flags(const ZipOptions& options) { return U16(options.flags | (options.descriptors ? 8 : 0)); }

std::string LocalRecord(const Record& record, const ZipOptions& options) {
  const std::string sizes = absl::StrCat(U32(record.crc32), U32(record.bytes.size()), U32(record.bytes.size()));
  return absl::StrCat("PK\3\4", U16(0), Flags(options), U16(options.method), U32(0),
                      options.descriptors ? std::string(12, '\0') : sizes, U16(record.name.size()), U16(0), record.name,
                      record.bytes, options.descriptors ? absl::StrCat("PK\7\x08", sizes) : "");
}

std::string DirectoryEntry(const Record& record, const ZipOptions& options) {
  const size_t size = record.bytes.size() + options.extra_size;
  const std::string extra =
      options.zip64 ? absl::StrCat(U16(1), U16(24), U64(size), U64(size), U64(record.offset)) : "";
  const std::string size32 = U32(options.zip64 ? 0xffffffff : size);
  return absl::StrCat("PK\1\2", U32(0), Flags(options), U16(options.method), U32(0), U32(record.crc32), size32, size32,
                      U16(record.name.size()), U16(extra.size()), U16(0), U16(0), U16(0), U32(0),
                      U32(options.zip64 ? 0xffffffff : record.offset), record.name, extra);
}

std::string End64(size_t count, size_t size, size_t offset) {
  const std::string end =
      absl::StrCat("PK\6\6", U64(44), U16(45), U16(45), U32(0), U32(0), U64(count), U64(count), U64(size), U64(offset));
  return absl::StrCat(end, "PK\6\7", U32(0), U64(offset + size), U32(1));
}

}  // namespace

std::string ZipArchive(const std::vector<std::pair<std::string, std::string>>& records, const ZipOptions& options) {
  std::string archive;
  std::string directory;
  for (const auto& [name, bytes] : records) {
    const uint32_t crc32 = libdeflate_crc32(0, bytes.data(), bytes.size());
    const size_t offset = archive.size() + (archive.empty() ? options.first_offset : 0);
    const Record record{name, bytes, crc32, offset};
    absl::StrAppend(&archive, LocalRecord(record, options));
    absl::StrAppend(&directory, DirectoryEntry(record, options));
  }
  const std::string end64 = options.zip64 ? End64(records.size(), directory.size(), archive.size()) : "";
  const std::string end = absl::StrCat("PK\5\6", U32(0), U16(records.size()), U16(records.size()),
                                       U32(directory.size()), U32(archive.size()), U16(0));
  return absl::StrCat(archive, directory, end64, end);
}

}  // namespace modelport
