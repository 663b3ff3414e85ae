#include "common/checkpoint/testing/zip_writer.h"

#include <libdeflate.h>

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "common/io/byte_reader.h"

namespace modelport {
namespace {

std::string U16(size_t number) { return LittleEndian(static_cast<uint16_t>(number)); }
std::string U32(size_t number) { return LittleEndian(static_cast<uint32_t>(number)); }
std::string U64(size_t number) { return LittleEndian(static_cast<uint64_t>(number)); }

struct Record {
  std::string name;
  std::string bytes;  // As the archive holds them.
  size_t size;        // Of the content.
  uint32_t crc32;
  size_t offset;
};

std::string Flags(const ZipOptions& options) { return U16(options.flags | (options.descriptors ? 8 : 0)); }
std::string Method(const ZipOptions& options) { return U16(options.deflate ? 8 : options.method); }

std::string Deflate(const std::string& bytes) {
  libdeflate_compressor* const compressor = libdeflate_alloc_compressor(/*compression_level=*/9);
  std::string deflated(libdeflate_deflate_compress_bound(compressor, bytes.size()), '\0');
  deflated.resize(
      libdeflate_deflate_compress(compressor, bytes.data(), bytes.size(), deflated.data(), deflated.size()));
  libdeflate_free_compressor(compressor);
  return deflated;
}

std::string LocalRecord(const Record& record, const ZipOptions& options) {
  const std::string sizes = absl::StrCat(U32(record.crc32), U32(record.bytes.size()), U32(record.size));
  return absl::StrCat("PK\3\4", U16(0), Flags(options), Method(options), U32(0),
                      options.descriptors ? std::string(12, '\0') : sizes, U16(record.name.size()), U16(0), record.name,
                      record.bytes, options.descriptors ? absl::StrCat("PK\7\x08", sizes) : "");
}

std::string DirectoryEntry(const Record& record, const ZipOptions& options) {
  const size_t stored_size = record.bytes.size() + options.extra_size;
  const size_t size = record.size + options.extra_size;
  const std::string extra =
      options.zip64 ? absl::StrCat(U16(1), U16(24), U64(size), U64(stored_size), U64(record.offset)) : "";
  return absl::StrCat("PK\1\2", U32(0), Flags(options), Method(options), U32(0), U32(record.crc32),
                      U32(options.zip64 ? 0xffffffff : stored_size), U32(options.zip64 ? 0xffffffff : size),
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
    const uint32_t crc32 = options.crc32 ? libdeflate_crc32(0, bytes.data(), bytes.size()) : 0;
    const size_t offset = archive.size() + (archive.empty() ? options.first_offset : 0);
    const Record record{name, options.deflate ? Deflate(bytes) : bytes, bytes.size(), crc32, offset};
    absl::StrAppend(&archive, LocalRecord(record, options));
    absl::StrAppend(&directory, DirectoryEntry(record, options));
  }
  const std::string end64 = options.zip64 ? End64(records.size(), directory.size(), archive.size()) : "";
  const std::string end = absl::StrCat("PK\5\6", U32(0), U16(records.size()), U16(records.size()),
                                       U32(directory.size()), U32(archive.size()), U16(0));
  return absl::StrCat(archive, directory, end64, end);
}

}  // namespace modelport
