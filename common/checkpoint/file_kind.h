#ifndef MODELPORT_COMMON_CHECKPOINT_FILE_KIND_H_
#define MODELPORT_COMMON_CHECKPOINT_FILE_KIND_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/checkpoint/zip_directory.h"

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

// Whether a file begins as those of ONNX do, which have no magic number.
bool IsOnnx(absl::string_view file);

// Whether a zip archive with `records` is of TorchScript: torch.save writes neither code nor constants.
bool HasScript(const std::vector<ZipRecord>& records);

// What a zip archive with `records` is that neither torch.save nor TorchScript wrote, and the cure if there is one:
// "a zip archive that holds net.pth\n  unpack it first, and give that file". "" for an archive of theirs.
std::string ForeignArchive(const std::vector<ZipRecord>& records);

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_FILE_KIND_H_
