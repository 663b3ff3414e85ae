#include "artifact/build/open_artifact.h"

#include <utility>

#include "artifact/format/onnx/stored_onnx.h"
#include "artifact/format/torchscript/stored_archive.h"
#include "common/checkpoint/file_kind.h"
#include "common/status/status_macros.h"

namespace modelport {

absl::StatusOr<std::shared_ptr<const StoredArtifact>> OpenArtifact(const std::string& path) {
  ASSIGN_OR_RETURN(std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  return ReadArtifact(path, std::move(file));
}

absl::StatusOr<std::shared_ptr<const StoredArtifact>> ReadArtifact(const std::string& path,
                                                                   std::shared_ptr<const MappedFile> file,
                                                                   std::shared_ptr<const MappedFile> data) {
  if (IsOnnx(file->bytes())) return onnx::StoredOnnx::Read(path, std::move(file), std::move(data));
  return StoredArchive::Read(path, std::move(file));
}

}  // namespace modelport
