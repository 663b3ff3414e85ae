#include "common/checkpoint/zip_directory.h"

#include <libdeflate.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/io/byte_reader.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

// The bytes of an entry of the central directory, without its name, extra field and comment.
inline constexpr size_t kZipEntrySize = 46;

// The position of the central directory in a zip archive, and the number of its entries.
struct CentralDirectory {
  uint64_t offset;
  uint64_t size;
  uint64_t count;
};

constexpr absl::string_view kEndSignature = "PK\5\6";

constexpr absl::string_view kEnd64Signature = "PK\6\6";

constexpr absl::string_view kLocator64Signature = "PK\6\7";

constexpr size_t kEndSize = 22;

constexpr size_t kEnd64Size = 56;

constexpr size_t kLocator64Size = 20;

absl::Status Damaged(absl::string_view what) {
  return absl::DataLossError(absl::StrCat("damaged zip archive: ", what));
}

// The end record is the last in the archive; only a comment, whose length it states, may follow.
absl::optional<size_t> FindEnd(absl::string_view archive) {
  constexpr size_t kMaxComment = 0xffff;
  if (archive.size() < kEndSize) return absl::nullopt;
  const size_t last = archive.size() - kEndSize;
  for (size_t comment = 0; comment <= std::min(last, kMaxComment); ++comment) {
    const absl::string_view end = archive.substr(last - comment);
    if (absl::StartsWith(end, kEndSignature) && LoadNumber<uint16_t>(end, 20) == comment) return last - comment;
  }
  return absl::nullopt;
}

absl::StatusOr<CentralDirectory> CheckDirectory(const CentralDirectory& directory, uint64_t end) {
  if (directory.size > end || directory.offset != end - directory.size) {
    return Damaged("the central directory is not where the archive says");
  }
  if (directory.count > directory.size / kZipEntrySize) return Damaged("the central directory is too short");
  return directory;
}

absl::StatusOr<CentralDirectory> ReadEnd64(absl::string_view archive, size_t locator) {
  const uint64_t offset = LoadNumber<uint64_t>(archive, locator + 8);
  if (locator < kEnd64Size || offset > locator - kEnd64Size) return Damaged("its zip64 end record is out of place");
  const absl::string_view end = archive.substr(offset, kEnd64Size);
  if (!absl::StartsWith(end, kEnd64Signature)) return Damaged("it has no zip64 end record");
  if (LoadNumber<uint64_t>(end, 16) != 0) return absl::UnimplementedError("a zip archive in several volumes");
  return CheckDirectory({LoadNumber<uint64_t>(end, 48), LoadNumber<uint64_t>(end, 40), LoadNumber<uint64_t>(end, 32)},
                        offset);
}

// Finds the central directory through the archive's end record, or the zip64 end record if there is one. The directory
// is within the archive and has at least the bytes that its entries need.
//   DataLoss        the archive is truncated or damaged
//   Unimplemented   an archive in several volumes
absl::StatusOr<CentralDirectory> FindCentralDirectory(absl::string_view archive) {
  const absl::optional<size_t> found = FindEnd(archive);
  if (!found) return absl::DataLossError("truncated zip archive: its end is missing\n  download or copy it again");
  if (*found >= kLocator64Size) {
    const size_t locator = *found - kLocator64Size;
    if (absl::StartsWith(archive.substr(locator), kLocator64Signature)) return ReadEnd64(archive, locator);
  }
  const absl::string_view end = archive.substr(*found, kEndSize);
  if (LoadNumber<uint32_t>(end, 4) != 0) return absl::UnimplementedError("a zip archive in several volumes");
  return CheckDirectory({LoadNumber<uint32_t>(end, 16), LoadNumber<uint32_t>(end, 12), LoadNumber<uint16_t>(end, 10)},
                        *found);
}

constexpr absl::string_view kEntrySignature = "PK\1\2";
constexpr absl::string_view kHeaderSignature = "PK\3\4";
constexpr absl::string_view kDescriptorSignature = "PK\7\x08";

constexpr size_t kHeaderSize = 30;

constexpr uint16_t kEncrypted = 1 << 0;
constexpr uint16_t kHasDescriptor = 1 << 3;
constexpr uint16_t kZip64Extra = 1;
constexpr uint16_t kDeflateMethod = 8;

// The value of a 32-bit field whose number is in a 64-bit field elsewhere.
constexpr uint32_t kSentinel = 0xffffffff;

// An entry of the central directory.
struct Entry {
  absl::string_view name;
  uint16_t flags;
  uint16_t method;
  uint32_t crc32;
  uint64_t stored_size;
  uint64_t size;
  uint64_t offset;  // Of the record's own header.
};

// The range of a record's bytes in the archive, header and descriptor included.
using Extent = std::pair<uint64_t, uint64_t>;

// The payload of the zip64 extra field; empty if there is none.
absl::string_view FindZip64Extra(absl::string_view extra) {
  ByteReader reader(extra);
  while (reader.remaining() > 0) {
    const absl::optional<uint16_t> id = reader.ReadNumber<uint16_t>();
    const absl::optional<uint16_t> size = reader.ReadNumber<uint16_t>();
    const absl::optional<absl::string_view> payload = size ? reader.ReadBytes(*size) : absl::nullopt;
    if (!id || !payload) return absl::string_view();
    if (*id == kZip64Extra) return *payload;
  }
  return absl::string_view();
}

// Replaces those numbers of `entry` that are sentinels by the ones in the extra field, which come in this order.
absl::Status ApplyZip64Extra(absl::string_view extra, Entry* entry) {
  ByteReader reader(FindZip64Extra(extra));
  for (uint64_t* number : {&entry->size, &entry->stored_size, &entry->offset}) {
    if (*number != kSentinel) continue;
    const absl::optional<uint64_t> value = reader.ReadNumber<uint64_t>();
    if (!value) return Damaged("an entry lacks its zip64 sizes");
    *number = *value;
  }
  return absl::OkStatus();
}

absl::StatusOr<Entry> ReadEntry(ByteReader& reader) {
  const absl::optional<absl::string_view> fixed = reader.ReadBytes(kZipEntrySize);
  if (!fixed || !absl::StartsWith(*fixed, kEntrySignature))
    return Damaged("an entry of the central directory is broken");
  const absl::optional<absl::string_view> name = reader.ReadBytes(LoadNumber<uint16_t>(*fixed, 28));
  const absl::optional<absl::string_view> extra = reader.ReadBytes(LoadNumber<uint16_t>(*fixed, 30));
  const absl::optional<absl::string_view> comment = reader.ReadBytes(LoadNumber<uint16_t>(*fixed, 32));
  if (!name || !extra || !comment) return Damaged("the central directory is too short");
  Entry entry{*name,
              LoadNumber<uint16_t>(*fixed, 8),
              LoadNumber<uint16_t>(*fixed, 10),
              LoadNumber<uint32_t>(*fixed, 16),
              LoadNumber<uint32_t>(*fixed, 20),
              LoadNumber<uint32_t>(*fixed, 24),
              LoadNumber<uint32_t>(*fixed, 42)};
  RETURN_IF_ERROR(ApplyZip64Extra(*extra, &entry));
  return entry;
}

// True if a record's own header states the same number as the central directory, or leaves it to its descriptor or its
// zip64 field.
bool Agrees(const Entry& entry, uint32_t stated, uint64_t number) {
  return stated == number || stated == kSentinel || (stated == 0 && entry.flags & kHasDescriptor);
}

// The size of the descriptor that `bytes` begin with, which comes with sizes of 32 or of 64 bits; nullopt if they begin
// with no descriptor of `entry`.
absl::optional<size_t> DescriptorSize(absl::string_view bytes, const Entry& entry) {
  if (!absl::StartsWith(bytes, kDescriptorSignature) || bytes.size() < 16) return absl::nullopt;
  if (LoadNumber<uint32_t>(bytes, 4) != entry.crc32) return absl::nullopt;
  if (LoadNumber<uint32_t>(bytes, 8) == entry.stored_size && LoadNumber<uint32_t>(bytes, 12) == entry.size) return 16;
  if (bytes.size() < 24) return absl::nullopt;
  if (LoadNumber<uint64_t>(bytes, 8) == entry.stored_size && LoadNumber<uint64_t>(bytes, 16) == entry.size) return 24;
  return absl::nullopt;
}

// Finds the record of `entry` in `body`, the archive before its central directory.
absl::StatusOr<Extent> LocateRecord(absl::string_view body, const Entry& entry, ZipRecord* record) {
  ByteReader reader(body, entry.offset);
  const absl::optional<absl::string_view> header = reader.ReadBytes(kHeaderSize);
  if (!header || !absl::StartsWith(*header, kHeaderSignature)) return Damaged("no header where the directory says");
  const absl::optional<absl::string_view> name = reader.ReadBytes(LoadNumber<uint16_t>(*header, 26));
  const absl::optional<absl::string_view> extra = reader.ReadBytes(LoadNumber<uint16_t>(*header, 28));
  if (!name || !extra || *name != entry.name || LoadNumber<uint16_t>(*header, 6) != entry.flags ||
      LoadNumber<uint16_t>(*header, 8) != entry.method ||
      !Agrees(entry, LoadNumber<uint32_t>(*header, 14), entry.crc32) ||
      !Agrees(entry, LoadNumber<uint32_t>(*header, 18), entry.stored_size) ||
      !Agrees(entry, LoadNumber<uint32_t>(*header, 22), entry.size)) {
    return Damaged("header and central directory differ");
  }
  const absl::optional<absl::string_view> bytes = reader.ReadBytes(entry.stored_size);
  if (!bytes) return Damaged("the record reaches beyond the archive");
  *record = {entry.name, *bytes, entry.crc32, entry.size, entry.method == kDeflateMethod};
  uint64_t end = reader.offset();
  if (entry.flags & kHasDescriptor) {
    const absl::optional<size_t> size = DescriptorSize(body.substr(end), entry);
    if (!size) return Damaged("descriptor and central directory differ");
    end += *size;
  }
  return Extent(entry.offset, end);
}

absl::Status CheckMethod(const Entry& entry, ZipMethods methods) {
  if (entry.flags & kEncrypted) return absl::UnimplementedError("an encrypted record");
  if (entry.method == kDeflateMethod && methods == ZipMethods::kStoredAndDeflated) return absl::OkStatus();
  if (entry.method != 0) {
    return absl::UnimplementedError(
        "a compressed record: torch.save compresses nothing; unpack the archive and save anew");
  }
  if (entry.size != entry.stored_size) return Damaged("a stored record has two sizes");
  return absl::OkStatus();
}

absl::Status AnnotateWithName(const absl::Status& status, const Entry& entry) {
  return status.ok() ? status : Annotate(status, absl::StrCat("\"", Brief(entry.name), "\""));
}

absl::Status CheckNoOverlap(std::vector<Extent> extents) {
  std::sort(extents.begin(), extents.end());
  for (size_t i = 1; i < extents.size(); ++i) {
    if (extents[i].first < extents[i - 1].second) return Damaged("records overlap");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<ZipRecord>> ReadZipDirectory(absl::string_view archive, ZipMethods methods) {
  ASSIGN_OR_RETURN(const CentralDirectory directory, FindCentralDirectory(archive));
  const absl::string_view body = archive.substr(0, directory.offset);
  ByteReader reader(archive.substr(directory.offset, directory.size));
  std::vector<ZipRecord> records(directory.count);
  std::vector<Extent> extents;
  absl::flat_hash_set<absl::string_view> names;
  for (ZipRecord& record : records) {
    ASSIGN_OR_RETURN(const Entry entry, ReadEntry(reader));
    if (!names.insert(entry.name).second) return AnnotateWithName(Damaged("there are two of them"), entry);
    RETURN_IF_ERROR(AnnotateWithName(CheckMethod(entry, methods), entry));
    absl::StatusOr<Extent> extent = LocateRecord(body, entry, &record);
    if (!extent.ok()) return AnnotateWithName(extent.status(), entry);
    extents.push_back(*extent);
  }
  if (reader.remaining() > 0) return Damaged("the central directory is longer than its entries");
  RETURN_IF_ERROR(CheckNoOverlap(std::move(extents)));
  return records;
}

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
