#include "common/torchscript/lint/script_file.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/checkpoint/file_kind.h"
#include "common/status/status_macros.h"
#include "common/torchscript/archive/load_module.h"
#include "common/torchscript/archive/outside_calls.h"
#include "common/torchscript/archive/read_format.h"
#include "common/torchscript/archive/script_archive.h"

namespace modelport {
namespace {

absl::Status NotTorchScript(absl::string_view kind) {
  return absl::InvalidArgumentError(
      absl::StrCat("not a TorchScript file: ", kind,
                   "\n  TorchScript files are saved as torch.jit.script(module).save(path), or by //tools:export"));
}

}  // namespace

absl::Status CheckScriptFile(absl::string_view bytes) {
  const absl::StatusOr<FileKind> kind = DetectFileKind(bytes);
  if (absl::IsInvalidArgument(kind.status())) return NotTorchScript("not a zip archive");
  RETURN_IF_ERROR(kind.status());
  switch (*kind) {
    case FileKind::kTorchZip:
      return absl::OkStatus();
    case FileKind::kSafetensors:
      return NotTorchScript("a safetensors file, which has weights and no code");
    case FileKind::kTorchLegacy:
      return NotTorchScript("a pickle or an old checkpoint of torch.save, which has weights and no code");
    case FileKind::kJson:
      return NotTorchScript("a JSON text");
  }
  return absl::InternalError("unknown file kind");
}

absl::StatusOr<ScriptFile> ReadScriptFile(absl::string_view bytes) {
  RETURN_IF_ERROR(CheckScriptFile(bytes));
  const absl::StatusOr<ScriptArchive> archive = ScriptArchive::Read(bytes);
  if (absl::IsInvalidArgument(archive.status())) {
    return NotTorchScript("a checkpoint of torch.save, which has weights and no code");
  }
  RETURN_IF_ERROR(archive.status());
  RETURN_IF_ERROR(CheckNoOutsideCalls(*archive));
  ASSIGN_OR_RETURN(const ArchiveFormat format, FormatOf(*archive));
  ASSIGN_OR_RETURN(torch::jit::Module module, LoadArchive(*archive));
  return ScriptFile{std::move(module), format};
}

}  // namespace modelport
