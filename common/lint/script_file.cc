#include "common/lint/script_file.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/artifact/round_trip.h"
#include "common/checkpoint/file_kind.h"
#include "common/io/mapped_file.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

absl::Status NotTorchScript(absl::string_view kind) {
  return absl::InvalidArgumentError(
      absl::StrCat("not a TorchScript file: ", kind,
                   "\n  TorchScript files are saved as torch.jit.script(module).save(path), or by //tools:export"));
}

absl::Status CheckKind(absl::string_view bytes) {
  const absl::StatusOr<FileKind> kind = DetectFileKind(bytes);
  if (absl::IsInvalidArgument(kind.status())) return NotTorchScript("no zip archive");
  RETURN_IF_ERROR(kind.status());
  switch (*kind) {
    case FileKind::kTorchZip:
      return absl::OkStatus();
    case FileKind::kSafetensors:
      return NotTorchScript("a safetensors file, which has weights and no code");
    case FileKind::kTorchLegacy:
      return NotTorchScript("a pickle or an old checkpoint of torch.save, which has weights and no code");
  }
  return absl::InternalError("unknown file kind");
}

}  // namespace

absl::StatusOr<ScriptFile> OpenScriptFile(const std::string& path) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  RETURN_IF_ERROR(Annotate(CheckKind(file->bytes()), path));
  const absl::StatusOr<ArchiveFormat> format = ReadArchiveFormat(path);
  if (absl::IsInvalidArgument(format.status())) {
    return Annotate(NotTorchScript("a checkpoint of torch.save, which has weights and no code"), path);
  }
  RETURN_IF_ERROR(format.status());
  ASSIGN_OR_RETURN(torch::jit::Module module, LoadModule(path));
  return ScriptFile{std::move(module), *format};
}

}  // namespace modelport
