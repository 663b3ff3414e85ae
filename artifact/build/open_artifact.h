#ifndef MODELPORT_ARTIFACT_BUILD_OPEN_ARTIFACT_H_
#define MODELPORT_ARTIFACT_BUILD_OPEN_ARTIFACT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "artifact/format/stored_artifact.h"
#include "common/io/mapped_file.h"

namespace modelport {

// Opens the artifact `path`, of the format that its bytes begin as; any other file is read as TorchScript, whose errors
// say what else it is. Messages begin with the path.
//   errors  as MappedFile::Open and the Read of each format
absl::StatusOr<std::shared_ptr<const StoredArtifact>> OpenArtifact(const std::string& path);

// The same for `file`, which was opened at `path`, and for its data file, if that was opened, too, and it needs one.
absl::StatusOr<std::shared_ptr<const StoredArtifact>> ReadArtifact(const std::string& path,
                                                                   std::shared_ptr<const MappedFile> file,
                                                                   std::shared_ptr<const MappedFile> data = nullptr);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_BUILD_OPEN_ARTIFACT_H_
