#include "common/checkpoint/checkpoint.h"

#include <libdeflate.h>

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "common/checkpoint/file_kind.h"
#include "common/checkpoint/readers.h"
#include "common/checkpoint/shards.h"
#include "common/io/mapped_file.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

absl::StatusOr<CheckpointContents> ReadFileOfKind(FileKind kind, absl::string_view file) {
  switch (kind) {
    case FileKind::kSafetensors:
      return ReadSafetensors(file);
    case FileKind::kTorchZip:
      return ReadTorchZip(file);
    case FileKind::kTorchLegacy:
      return ReadTorchLegacy(file);
    case FileKind::kJson:
      return absl::InvalidArgumentError("a JSON text, which holds no tensors");
  }
  return absl::InternalError("unknown file kind");
}

absl::StatusOr<CheckpointContents> ReadShard(absl::string_view file) {
  ASSIGN_OR_RETURN(const FileKind kind, DetectFileKind(file));
  return ReadFileOfKind(kind, file);
}

// Refuses what is a part of another checkpoint, which the names tell: the files inside would look like whole ones.
absl::Status CheckIsWhole(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path given(path);
  const bool is_folder = fs::is_directory(given, error);
  const std::string name = given.filename().string();
  if (name == ".metadata" || given.extension() == ".distcp" || (is_folder && fs::exists(given / ".metadata", error))) {
    const std::string folder = is_folder ? path : given.parent_path().string();
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": a checkpoint of torch.distributed.checkpoint, which is a folder of shards\n  join them: ",
                     "python -m torch.distributed.checkpoint.format_utils dcp_to_torch ", folder.empty() ? "." : folder,
                     " weights.pth"));
  }
  if (name == "data.pkl") {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": one record of an archive of torch.save, without its tensors\n  give the archive itself"));
  }
  return absl::OkStatus();
}

absl::StatusOr<CheckpointContents> ReadContents(const OpenedFile& file) {
  ASSIGN_OR_RETURN(const FileKind kind, DetectFileKind(file.bytes));
  if (kind == FileKind::kJson) return ReadShards(file, ReadShard);
  ASSIGN_OR_RETURN(CheckpointContents contents, ReadFileOfKind(kind, file.bytes));
  contents.files = {file};
  KeepDecoded(contents, contents.files.front());
  return contents;
}

}  // namespace

// The parts that FindPart was asked for.
struct Checkpoint::Parts {
  std::mutex mutex;
  std::map<std::pair<const StateDict*, std::string>, StateDict> found;  // Without tensors where there are none.
};

Checkpoint::Checkpoint(Contents contents)
    : contents_(std::make_shared<const Contents>(std::move(contents))), parts_(std::make_shared<Parts>()) {}

const StateDict* Checkpoint::FindPart(const StateDict& dict, absl::string_view prefix) const {
  const std::lock_guard<std::mutex> lock(parts_->mutex);
  const auto [found, is_new] = parts_->found.try_emplace({&dict, std::string(prefix)});
  StateDict& part = found->second;
  if (is_new) {
    part.module = dict.module;
    part.path = absl::StrCat(dict.path, dict.path.empty() ? "" : ".", absl::StripSuffix(prefix, "."));
    for (const CheckpointTensor& tensor : dict.tensors) {
      if (tensor.key.size() == prefix.size() || !absl::StartsWith(tensor.key, prefix)) continue;
      part.tensors.push_back(tensor);
      part.tensors.back().key.erase(0, prefix.size());
    }
  }
  return part.tensors.empty() ? nullptr : &part;
}

int64_t Checkpoint::size() const {
  int64_t size = 0;
  for (const OpenedFile& file : files()) size += static_cast<int64_t>(file.bytes.size());
  return size;
}

absl::Status Checkpoint::CheckUnchanged() const {
  for (const OpenedFile& file : files()) {
    if (file.mapped_file != nullptr) RETURN_IF_ERROR(file.mapped_file->CheckUnchanged());
  }
  return absl::OkStatus();
}

absl::StatusOr<Checkpoint> OpenCheckpoint(const std::string& path) {
  RETURN_IF_ERROR(CheckIsWhole(path));
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  absl::StatusOr<CheckpointContents> contents = ReadContents({path, file->bytes(), file, file.get()});
  // If another program is writing it, that comes before whatever is wrong with it.
  RETURN_IF_ERROR(file->CheckUnchanged());
  if (!contents.ok()) return Annotate(contents.status(), path);
  contents->path = path;
  return Checkpoint(*std::move(contents));
}

TensorView ViewTensor(const Checkpoint& checkpoint, const CheckpointTensor& tensor) {
  const char* storage = checkpoint.storages()[tensor.storage].bytes.data();
  return {tensor.dtype, tensor.shape, tensor.strides, storage + tensor.offset * ByteSize(tensor.dtype)};
}

std::string RowMajorBytes(const Checkpoint& checkpoint, const CheckpointTensor& tensor) {
  std::string bytes(*ElementCount(tensor.shape) * ByteSize(tensor.dtype), '\0');
  CopyRowMajor(ViewTensor(checkpoint, tensor), bytes.data());
  return bytes;
}

absl::Status VerifyCrc32(const Checkpoint& checkpoint, const std::vector<int>& storages) {
  for (const int index : storages) {
    const Storage& storage = checkpoint.storages()[index];
    if (!storage.crc32) continue;
    const uint32_t has = libdeflate_crc32(0, storage.bytes.data(), storage.bytes.size());
    if (has == *storage.crc32) continue;
    return absl::DataLossError(
        absl::StrFormat("%s: %s: CRC-32 wants %08x, has %08x: the file is damaged\n  download or copy it again",
                        checkpoint.files()[storage.file].path, Brief(storage.name), *storage.crc32, has));
  }
  return absl::OkStatus();
}

}  // namespace modelport
