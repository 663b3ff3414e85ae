#ifndef MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_READ_FORMAT_H_
#define MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_READ_FORMAT_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/torchscript/archive/script_archive.h"
#include "common/torchscript/runtime/archive_format.h"

namespace modelport {

// The format of `archive`.
//   DataLoss   it has no version, or its code is not TorchScript
absl::StatusOr<ArchiveFormat> FormatOf(const ScriptArchive& archive);

// Reads the format of the TorchScript file `path`. Fails as MappedFile::Open, ScriptArchive::Read and FormatOf do, with
// the path in front.
absl::StatusOr<ArchiveFormat> ReadArchiveFormat(const std::string& path);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_READ_FORMAT_H_
