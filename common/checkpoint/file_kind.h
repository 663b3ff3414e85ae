#ifndef MODELPORT_COMMON_CHECKPOINT_FILE_KIND_H_
#define MODELPORT_COMMON_CHECKPOINT_FILE_KIND_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace modelport {

// The file formats that checkpoints come in. A JSON text may be the index of shards.
enum class FileKind { kSafetensors, kTorchZip, kTorchLegacy, kJson };

// Tells a file's format by its first bytes.
//   DataLoss          too few bytes to be any checkpoint
//   InvalidArgument   another format, which the message names if it is a known one
absl::StatusOr<FileKind> DetectFileKind(absl::string_view file);

// What a file is that DetectFileKind refuses, where it is told by its first bytes, and the cure if one gets at another
// file by it: "a Git LFS pointer, not the file itself\n  fetch the file with: git lfs pull". "" for all other files.
std::string ForeignKind(absl::string_view file);

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_FILE_KIND_H_
