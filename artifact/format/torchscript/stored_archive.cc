#include "artifact/format/torchscript/stored_archive.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/manifest/manifest.h"
#include "common/status/status_macros.h"

namespace modelport {

absl::StatusOr<std::shared_ptr<const StoredArchive>> StoredArchive::Read(const std::string& path,
                                                                         std::shared_ptr<const MappedFile> mapped) {
  ASSIGN_OR_RETURN(ArtifactFile file, ArtifactFile::Read(path, mapped));
  return std::make_shared<const StoredArchive>(std::move(mapped), std::move(file));
}

StoredArchive::StoredArchive(std::shared_ptr<const MappedFile> mapped, ArtifactFile file)
    : StoredArtifact(file.path(), std::move(mapped)), file_(std::move(file)) {}

bool StoredArchive::has_code() const { return file_.Find("constants.pkl") != nullptr; }

absl::StatusOr<absl::optional<StoredPart>> StoredArchive::FindManifest() const {
  const std::string name = absl::StrCat("extra/", kManifestExtraFile);
  const ZipRecord* const record = file_.Find(name);
  if (record == nullptr) return absl::nullopt;
  if (!record->deflated) return StoredPart{name, record->bytes, record->crc32};
  return absl::DataLossError(absl::StrCat(path(), ": ", name, ": is compressed, as Modelport never does"));
}

absl::StatusOr<std::vector<absl::optional<StoredPart>>> StoredArchive::FindTensors(const std::vector<Slot>& slots,
                                                                                   DType dtype) const {
  ASSIGN_OR_RETURN(const std::vector<const ZipRecord*> records, TensorRecords(file_, slots, dtype));
  std::vector<absl::optional<StoredPart>> tensors;
  for (const ZipRecord* const record : records) {
    tensors.push_back(StoredPart{std::string(record->name), record->bytes, record->crc32});
  }
  return tensors;
}

}  // namespace modelport
