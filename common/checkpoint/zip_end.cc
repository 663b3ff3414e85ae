#include "common/checkpoint/zip_end.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/io/byte_reader.h"

namespace modelport {
namespace {

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

}  // namespace

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

}  // namespace modelport
