#include "common/lint/script_file.h"

#include <caffe2/serialize/inline_container.h>

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/artifact/round_trip.h"
#include "common/checkpoint/file_kind.h"
#include "common/io/mapped_file.h"
#include "common/script/torch_status.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

absl::Status NotTorchScript(absl::string_view kind) {
  return absl::InvalidArgumentError(
      absl::StrCat("not a TorchScript file: ", kind,
                   "\n  TorchScript files are saved as torch.jit.script(module).save(path), or by //tools:export"));
}

// torch.save and TorchScript write the same kind of archive; only the latter has code, and constants beside it.
absl::StatusOr<bool> HasCode(const std::string& path) {
  return CatchTorch([&] { return caffe2::serialize::PyTorchStreamReader(path).hasRecord("constants.pkl"); });
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
  ASSIGN_OR_RETURN(const ArchiveFormat format, ReadArchiveFormat(path));
  ASSIGN_OR_RETURN(const bool has_code, HasCode(path));
  if (!has_code) return Annotate(NotTorchScript("a checkpoint of torch.save, which has weights and no code"), path);
  ASSIGN_OR_RETURN(torch::jit::Module module, LoadModule(path));
  return ScriptFile{std::move(module), format};
}

}  // namespace modelport
