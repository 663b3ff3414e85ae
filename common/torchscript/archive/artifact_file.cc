#include "common/torchscript/archive/artifact_file.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/tensor/shape.h"
#include "common/torchscript/archive/script_archive.h"

namespace modelport {
namespace {

absl::StatusOr<const ZipRecord*> TensorRecord(const ArtifactFile& file, size_t index, const Slot& slot, DType dtype) {
  const std::string path = absl::StrCat("data/", index);
  const std::string context = absl::StrCat(file.path(), ": ", path, " (", slot.name, "): ");
  const ZipRecord* const record = file.Find(path);
  if (record == nullptr) return absl::DataLossError(absl::StrCat(context, "missing"));
  const uint64_t wants = *ElementCount(slot.shape) * ByteSize(dtype);
  if (!record->deflated && record->bytes.size() == wants) return record;
  return absl::DataLossError(absl::StrCat(context, "wants ", wants, " bytes, has ", record->bytes.size(),
                                          record->deflated ? " compressed" : ""));
}

}  // namespace

absl::StatusOr<ArtifactFile> ArtifactFile::Open(const std::string& path) {
  ASSIGN_OR_RETURN(std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  return Read(path, std::move(file));
}

absl::StatusOr<ArtifactFile> ArtifactFile::Read(const std::string& path, std::shared_ptr<const MappedFile> file) {
  if (const absl::Status status = CheckNoOtherFile(file->bytes()); !status.ok()) return Annotate(status, path);
  absl::StatusOr<std::vector<ZipRecord>> records = ReadZipDirectory(file->bytes(), ZipMethods::kStoredAndDeflated);
  if (!records.ok()) return Annotate(records.status(), path);
  return ArtifactFile(path, std::move(file), *std::move(records));
}

ArtifactFile::ArtifactFile(std::string path, std::shared_ptr<const MappedFile> file, std::vector<ZipRecord> records)
    : path_(std::move(path)), file_(std::move(file)), records_(std::move(records)) {
  for (size_t i = 0; i < records_.size(); ++i) indices_[records_[i].name] = i;
}

const ZipRecord* ArtifactFile::Find(absl::string_view path) const {
  const auto found = indices_.find(absl::StrCat(kArchiveFolder, path));
  return found == indices_.end() ? nullptr : &records_[found->second];
}

absl::StatusOr<std::vector<const ZipRecord*>> TensorRecords(const ArtifactFile& file, const std::vector<Slot>& slots,
                                                            DType dtype) {
  std::vector<const ZipRecord*> records;
  for (const Slot& slot : slots) {
    ASSIGN_OR_RETURN(const ZipRecord* const record,
                     TensorRecord(file, records.size(), slot, slot.dtype.value_or(dtype)));
    records.push_back(record);
  }
  if (file.Find(absl::StrCat("data/", slots.size())) == nullptr) return records;
  return absl::DataLossError(absl::StrCat(file.path(), ": holds more tensors than the model, ", slots.size()));
}

}  // namespace modelport
