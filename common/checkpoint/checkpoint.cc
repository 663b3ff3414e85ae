#include "common/checkpoint/checkpoint.h"

#include <libdeflate.h>

#include <memory>

#include "absl/strings/str_format.h"
#include "common/checkpoint/file_kind.h"
#include "common/checkpoint/safetensors_reader.h"
#include "common/checkpoint/shards.h"
#include "common/checkpoint/torch_legacy_reader.h"
#include "common/checkpoint/torch_zip_reader.h"
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

absl::StatusOr<CheckpointContents> ReadContents(const OpenedFile& file) {
  ASSIGN_OR_RETURN(const FileKind kind, DetectFileKind(file.bytes));
  if (kind == FileKind::kJson) return ReadShards(file, ReadShard);
  ASSIGN_OR_RETURN(CheckpointContents contents, ReadFileOfKind(kind, file.bytes));
  contents.files = {file};
  return contents;
}

}  // namespace

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
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  absl::StatusOr<CheckpointContents> contents = ReadContents({path, file->bytes(), file, file.get()});
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
