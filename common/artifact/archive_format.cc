#include "common/artifact/archive_format.h"

#include <caffe2/serialize/inline_container.h>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/artifact/old_records.h"
#include "common/script/torch_status.h"

namespace modelport {
namespace {

using caffe2::serialize::PyTorchStreamReader;

bool IsCode(absl::string_view record) { return absl::StartsWith(record, "code/") && absl::EndsWith(record, ".py"); }

bool NamesNoneType(PyTorchStreamReader& reader, const std::string& record) {
  const auto [data, size] = reader.getRecord(record);
  const std::string code(static_cast<const char*>(data.get()), size);
  return OldSyntax(code) != code;
}

}  // namespace

ArchiveFormat FormatFor(const Runtime& runtime) {
  ArchiveFormat format;
  format.version = runtime.max_archive_version;
  format.new_records = !runtime.old_records;
  return format;
}

absl::StatusOr<ArchiveFormat> ReadArchiveFormat(const std::string& path) {
  const auto format = CatchTorch([&]() -> absl::optional<ArchiveFormat> {
    PyTorchStreamReader reader(path);
    // torch.save writes the same kind of archive, but neither code nor the constants beside it.
    if (!reader.hasRecord("constants.pkl")) return absl::nullopt;
    ArchiveFormat found;
    found.version = reader.version();
    for (const std::string& record : reader.getAllRecords()) {
      if (record == ".data/version" || absl::EndsWith(record, ".debug_pkl")) found.new_records = true;
      if (IsCode(record) && NamesNoneType(reader, record)) found.none_type = true;
    }
    return found;
  });
  if (!format.ok()) {
    return absl::DataLossError(absl::StrCat(path, ": not a TorchScript archive: ", format.status().message()));
  }
  if (!format->has_value()) return absl::InvalidArgumentError(absl::StrCat(path, ": an archive without code"));
  return **format;
}

}  // namespace modelport
