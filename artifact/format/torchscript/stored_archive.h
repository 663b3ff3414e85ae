#ifndef MODELPORT_ARTIFACT_FORMAT_TORCHSCRIPT_STORED_ARCHIVE_H_
#define MODELPORT_ARTIFACT_FORMAT_TORCHSCRIPT_STORED_ARCHIVE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "artifact/format/stored_artifact.h"
#include "common/io/mapped_file.h"
#include "common/module_tree/module_tree.h"
#include "common/tensor/dtype.h"
#include "common/torchscript/archive/artifact_file.h"

namespace modelport {

// A TorchScript file, an archive of Modelport, whose tensors are numbered in the order of the slots.
class StoredArchive : public StoredArtifact {
 public:
  // Reads the file that was opened at `path`. Errors as ArtifactFile::Read.
  static absl::StatusOr<std::shared_ptr<const StoredArchive>> Read(const std::string& path,
                                                                   std::shared_ptr<const MappedFile> mapped);

  StoredArchive(std::shared_ptr<const MappedFile> mapped, ArtifactFile file);

  const ArtifactFile& file() const { return file_; }

  FormatKind format() const override { return FormatKind::kTorchScript; }
  bool has_code() const override;
  absl::StatusOr<absl::optional<StoredPart>> FindManifest() const override;
  absl::StatusOr<std::vector<absl::optional<StoredPart>>> FindTensors(const std::vector<Slot>& slots,
                                                                      DType dtype) const override;

 private:
  ArtifactFile file_;
};

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_FORMAT_TORCHSCRIPT_STORED_ARCHIVE_H_
