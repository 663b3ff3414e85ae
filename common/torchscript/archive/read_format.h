// The format of an archive, and how archives are written for LibTorch 1.6, which reads fewer kinds of records and less
// syntax.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_READ_FORMAT_H_
#define MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_READ_FORMAT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/torchscript/archive/script_archive.h"
#include "common/torchscript/runtime/runtime.h"

namespace modelport {

// The format of `archive`.
//   DataLoss   it has no version, or its code is not TorchScript
absl::StatusOr<ArchiveFormat> FormatOf(const ScriptArchive& archive);

// Reads the format of the TorchScript file `path`. Fails as MappedFile::Open, CheckScriptFile, ScriptArchive::Read and
// FormatOf do, with the path in front.
absl::StatusOr<ArchiveFormat> ReadArchiveFormat(const std::string& path);

// Whether an old archive has the record at `path` as a new one has it. Old readers do not know debug records, and keep
// the archive's version elsewhere.
bool IsOldRecord(absl::string_view path);

// `code`, which is TorchScript, in the syntax of LibTorch 1.6: it calls the type of None "None" instead of "NoneType".
// Throws the exceptions of LibTorch.
std::string OldSyntax(const std::string& code);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_READ_FORMAT_H_
