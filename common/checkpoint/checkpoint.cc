#include "common/checkpoint/checkpoint.h"

#include <libdeflate.h>

#include <cstring>
#include <memory>

#include "absl/strings/str_format.h"
#include "common/checkpoint/file_kind.h"
#include "common/checkpoint/safetensors_reader.h"
#include "common/checkpoint/torch_legacy_reader.h"
#include "common/checkpoint/torch_zip_reader.h"
#include "common/io/mapped_file.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

absl::StatusOr<CheckpointContents> ReadContents(absl::string_view file) {
  ASSIGN_OR_RETURN(const FileKind kind, DetectFileKind(file));
  switch (kind) {
    case FileKind::kSafetensors:
      return ReadSafetensors(file);
    case FileKind::kTorchZip:
      return ReadTorchZip(file);
    case FileKind::kTorchLegacy:
      return ReadTorchLegacy(file);
  }
  return absl::InternalError("unknown file kind");
}

// Advances `index` to the next one in row-major order.
void Increment(const Shape& shape, Shape* index) {
  for (size_t i = shape.size(); i-- > 0;) {
    if (++(*index)[i] < shape[i]) return;
    (*index)[i] = 0;
  }
}

}  // namespace

absl::Status Checkpoint::CheckUnchanged() const {
  return contents_.mapped_file != nullptr ? contents_.mapped_file->CheckUnchanged() : absl::OkStatus();
}

absl::StatusOr<Checkpoint> OpenCheckpoint(const std::string& path) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  absl::StatusOr<CheckpointContents> contents = ReadContents(file->bytes());
  if (!contents.ok()) return Annotate(contents.status(), path);
  contents->path = path;
  contents->file = file;
  contents->mapped_file = file.get();
  return Checkpoint(*std::move(contents));
}

std::string RowMajorBytes(const Checkpoint& checkpoint, const CheckpointTensor& tensor) {
  const int64_t byte_size = ByteSize(tensor.dtype);
  const int64_t count = *ElementCount(tensor.shape);
  const char* first = checkpoint.storages()[tensor.storage].bytes.data() + tensor.offset * byte_size;
  if (tensor.strides == RowMajorStrides(tensor.shape)) return std::string(first, count * byte_size);
  std::string bytes(count * byte_size, '\0');
  Shape index(tensor.shape.size(), 0);
  for (int64_t i = 0; i < count; ++i, Increment(tensor.shape, &index)) {
    int64_t element = 0;
    for (size_t k = 0; k < index.size(); ++k) element += index[k] * tensor.strides[k];
    std::memcpy(&bytes[i * byte_size], first + element * byte_size, byte_size);
  }
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
                        checkpoint.path(), Brief(storage.name), *storage.crc32, has));
  }
  return absl::OkStatus();
}

}  // namespace modelport
