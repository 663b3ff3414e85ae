#include "common/torchscript/archive/archive_writer.h"

#include <libdeflate.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "common/io/byte_reader.h"
#include "common/status/status_macros.h"
#include "common/torchscript/archive/artifact_file.h"

namespace modelport {
namespace {

constexpr size_t kHeaderSize = 30;
constexpr size_t kAlignment = 64;
constexpr int kLevel = 6;  // zlib's default.

constexpr uint16_t kVersion = 45;  // The first version of the format with zip64.
constexpr uint16_t kUtf8Name = 1 << 11;
constexpr uint16_t kZip64Extra = 1;
constexpr uint16_t kPaddingExtra = 0x4246;  // LibTorch's id, "FB".
constexpr uint16_t kDeflateMethod = 8;

// The value of a field whose number is in a wider field elsewhere.
constexpr uint32_t kSentinel = 0xffffffff;
constexpr uint16_t kSentinel16 = 0xffff;

std::string U16(uint16_t number) { return LittleEndian(number); }
std::string U32(uint32_t number) { return LittleEndian(number); }
std::string U64(uint64_t number) { return LittleEndian(number); }

bool NeedsZip64(uint64_t number) { return number >= kSentinel; }
std::string U32OrSentinel(uint64_t number) { return U32(NeedsZip64(number) ? kSentinel : number); }

std::string ExtraField(uint16_t id, absl::string_view payload) {
  return absl::StrCat(U16(id), U16(payload.size()), payload);
}

// An extra field after which the content begins at a multiple of kAlignment. `offset` is that of the field.
std::string Padding(uint64_t offset) {
  const uint64_t begin = offset + 4;
  return ExtraField(kPaddingExtra, std::string((kAlignment - begin % kAlignment) % kAlignment, 'Z'));
}

std::string Deflate(absl::string_view content) {
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
      libdeflate_alloc_compressor(kLevel), libdeflate_free_compressor);
  std::string deflated(libdeflate_deflate_compress_bound(compressor.get(), content.size()), '\0');
  deflated.resize(
      libdeflate_deflate_compress(compressor.get(), content.data(), content.size(), deflated.data(), deflated.size()));
  return deflated;
}

}  // namespace

absl::Status ArchiveWriter::AddStored(absl::string_view path, absl::string_view content) {
  RETURN_IF_ERROR(Begin(path, content, content, /*deflated=*/false));
  return Write(content);
}

absl::Status ArchiveWriter::AddDeflated(absl::string_view path, absl::string_view content) {
  const std::string deflated = Deflate(content);
  RETURN_IF_ERROR(Begin(path, content, deflated, /*deflated=*/true));
  return Write(deflated);
}

absl::Status ArchiveWriter::AddLasting(absl::string_view path, absl::string_view content) {
  RETURN_IF_ERROR(Begin(path, content, content, /*deflated=*/false));
  size_ += content.size();
  return out_.WriteLasting(content);
}

absl::Status ArchiveWriter::Finish() {
  const uint64_t offset = size_;
  for (const Record& record : records_) RETURN_IF_ERROR(Write(DirectoryEntry(record)));
  const uint64_t size = size_ - offset;
  const uint64_t count = records_.size();
  const bool many = count >= kSentinel16;
  if (many || NeedsZip64(size) || NeedsZip64(offset)) {
    const std::string end = absl::StrCat("PK\6\6", U64(44), U16(kVersion), U16(kVersion), U32(0), U32(0), U64(count),
                                         U64(count), U64(size), U64(offset));
    RETURN_IF_ERROR(Write(absl::StrCat(end, "PK\6\7", U32(0), U64(size_), U32(1))));
  }
  const std::string short_count = U16(many ? kSentinel16 : count);
  return Write(
      absl::StrCat("PK\5\6", U32(0), short_count, short_count, U32OrSentinel(size), U32OrSentinel(offset), U16(0)));
}

std::string ArchiveWriter::Header(const Record& record) {
  const bool zip64 = NeedsZip64(record.size);
  std::string extra = zip64 ? ExtraField(kZip64Extra, absl::StrCat(U64(record.size), U64(record.stored_size))) : "";
  absl::StrAppend(&extra, Padding(record.offset + kHeaderSize + record.name.size() + extra.size()));
  return absl::StrCat("PK\3\4", U16(kVersion), U16(kUtf8Name), U16(record.deflated ? kDeflateMethod : 0), U32(0),
                      U32(record.crc32), U32(zip64 ? kSentinel : record.stored_size),
                      U32(zip64 ? kSentinel : record.size), U16(record.name.size()), U16(extra.size()), record.name,
                      extra);
}

std::string ArchiveWriter::DirectoryEntry(const Record& record) {
  std::string wide;  // The numbers that are too large for their fields, in the order of the format.
  for (const uint64_t number : {record.size, record.stored_size, record.offset}) {
    if (NeedsZip64(number)) absl::StrAppend(&wide, U64(number));
  }
  const std::string extra = wide.empty() ? "" : ExtraField(kZip64Extra, wide);
  return absl::StrCat("PK\1\2", U16(kVersion), U16(kVersion), U16(kUtf8Name), U16(record.deflated ? kDeflateMethod : 0),
                      U32(0), U32(record.crc32), U32OrSentinel(record.stored_size), U32OrSentinel(record.size),
                      U16(record.name.size()), U16(extra.size()), U16(0), U16(0), U16(0), U32(0),
                      U32OrSentinel(record.offset), record.name, extra);
}

absl::Status ArchiveWriter::Begin(absl::string_view path, absl::string_view content, absl::string_view stored,
                                  bool deflated) {
  const Record record{.name = absl::StrCat(kArchiveFolder, path),
                      .deflated = deflated,
                      .crc32 = libdeflate_crc32(0, content.data(), content.size()),
                      .stored_size = stored.size(),
                      .size = content.size(),
                      .offset = size_};
  records_.push_back(record);
  return Write(Header(record));
}

absl::Status ArchiveWriter::Write(absl::string_view bytes) {
  size_ += bytes.size();
  return out_.Write(bytes);
}

}  // namespace modelport
