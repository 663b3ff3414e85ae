#include "common/torchscript/archive/compare_archive.h"

#include <caffe2/serialize/inline_container.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/checkpoint/zip_directory.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

using caffe2::serialize::PyTorchStreamReader;

size_t FirstDifference(absl::string_view a, absl::string_view b) {
  const size_t size = std::min(a.size(), b.size());
  return std::mismatch(a.begin(), a.begin() + size, b.begin()).first - a.begin();
}

// The line that contains byte `position`.
absl::string_view LineAt(absl::string_view text, size_t position) {
  const size_t before = position == 0 ? text.npos : text.rfind('\n', position - 1);
  const size_t begin = before == text.npos ? 0 : before + 1;
  return text.substr(begin, text.find('\n', position) - begin);
}

std::string DescribeText(absl::string_view expected, absl::string_view actual) {
  const size_t position = FirstDifference(expected, actual);
  const absl::string_view before = expected.substr(0, position);
  return absl::StrCat("line ", 1 + std::count(before.begin(), before.end(), '\n'), ": is not what Modelport writes",
                      "\n  wants ", Brief(LineAt(expected, position)), "\n  has   ",
                      Brief(LineAt(actual, std::min(position, actual.size()))));
}

bool IsText(absl::string_view path) { return absl::EndsWith(path, ".py") || absl::EndsWith(path, ".json"); }

// Compares the records of a file with those of the expected archive.
class RecordComparer {
 public:
  RecordComparer(const std::shared_ptr<ArchivePieces>& expected, const ArtifactFile& file,
                 const std::vector<std::string>& slots)
      : pieces_(*expected), reader_(expected), file_(file), slots_(slots) {}

  // Describes the first difference. Call it only if the files differ. Throws the exceptions of LibTorch.
  absl::Status Explain() {
    const std::vector<std::string> paths = reader_.getAllRecords();
    for (const ZipRecord& record : file_.records()) {
      absl::string_view path = record.name;
      if (absl::ConsumePrefix(&path, kArchiveFolder) && std::find(paths.begin(), paths.end(), path) != paths.end())
        continue;
      return absl::DataLossError(absl::StrCat(Brief(record.name), ": a record that Modelport does not write"));
    }
    for (const std::string& path : paths) {
      RETURN_IF_ERROR(Annotate(Compare(path), Describe(path)));
    }
    return absl::DataLossError("every record is right, but Modelport arranges the records in another way");
  }

 private:
  // "data/3 (blocks.0.norm1.weight)".
  std::string Describe(const std::string& path) const {
    absl::string_view number = path;
    size_t slot = 0;
    if (!absl::ConsumePrefix(&number, "data/") || !absl::SimpleAtoi(number, &slot) || slot >= slots_.size())
      return path;
    return absl::StrCat(path, " (", slots_[slot], ")");
  }

  absl::Status Compare(const std::string& path) {
    const ZipRecord* const record = file_.Find(path);
    if (record == nullptr) return absl::DataLossError("missing");
    std::string copy, inflated;
    const absl::string_view expected = ReadRecord(reader_, pieces_, path, &copy);
    if (record->size != expected.size() && !IsText(path)) {
      return absl::DataLossError(absl::StrCat("wants ", expected.size(), " bytes, has ", record->size));
    }
    absl::string_view actual = record->bytes;
    if (record->deflated) {
      // An inflated text of any size must not fill the memory.
      ASSIGN_OR_RETURN(inflated, InflateRecord(*record, 2 * expected.size() + (size_t{1} << 20)));
      actual = inflated;
    }
    if (actual == expected) return CheckCrc32(*record, actual);
    if (IsText(path)) return absl::DataLossError(DescribeText(expected, actual));
    return absl::DataLossError(
        absl::StrCat("is not what Modelport writes from byte ", FirstDifference(expected, actual), " on"));
  }

  const ArchivePieces& pieces_;
  PyTorchStreamReader reader_;
  const ArtifactFile& file_;
  const std::vector<std::string>& slots_;
};

}  // namespace

absl::Status CompareArchive(const std::shared_ptr<ArchivePieces>& expected, const ArtifactFile& file,
                            const std::vector<std::string>& slots) {
  if (expected->Equals(file.bytes())) return absl::OkStatus();
  absl::Status difference;
  const absl::Status caught = CatchTorch([&] { difference = RecordComparer(expected, file, slots).Explain(); });
  return Annotate(caught.ok() ? difference : caught, file.path());
}

}  // namespace modelport
