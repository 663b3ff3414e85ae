#ifndef MODELPORT_COMMON_ARTIFACT_ARCHIVE_FORMAT_H_
#define MODELPORT_COMMON_ARTIFACT_ARCHIVE_FORMAT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "common/artifact/runtime.h"
#include "common/artifact/script_archive.h"

namespace modelport {

// How an archive is written, as far as runtimes differ in what they read.
struct ArchiveFormat {
  uint32_t version = 0;      // Of the TorchScript file format.
  bool new_records = false;  // Has a ".data/version" or ".debug_pkl" record.
  bool none_type = false;    // Its code names the type NoneType.
};

// The format in which SaveModule writes for `runtime`, with the greatest version that it may have.
ArchiveFormat FormatFor(const Runtime& runtime);

// The format of `archive`.
//   DataLoss   it states no version, or its code is no TorchScript
absl::StatusOr<ArchiveFormat> FormatOf(const ScriptArchive& archive);

// Reads the format of the TorchScript file `path`. Fails as MappedFile::Open, ScriptArchive::Read and FormatOf do, with
// the path in front.
absl::StatusOr<ArchiveFormat> ReadArchiveFormat(const std::string& path);

}  // namespace modelport

#endif  // MODELPORT_COMMON_ARTIFACT_ARCHIVE_FORMAT_H_
