#include "tools/convert/write_stored.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "common/checkpoint/safetensors_writer.h"
#include "common/operation/verify_inputs.h"
#include "common/progress/progress.h"
#include "common/progress/progress_writer.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "common/tensor/tensor_view.h"

namespace modelport {
namespace {

SafetensorsTensor HeaderOf(const StoredTensor& tensor) {
  return {tensor.key, tensor.source.dtype(), tensor.source.shape()};
}

// Writes the elements of the tensors one by one.
class ElementsWriter {
 public:
  ElementsWriter(Writer& out, std::string paths) : out_(out), paths_(std::move(paths)) {}

  absl::Status Write(const std::string& key, const SlotSource& tensor) {
    const size_t size = *ElementCount(tensor.shape()) * ByteSize(tensor.dtype());
    const absl::optional<TensorView> view = tensor.view();
    if (view && view->strides == RowMajorStrides(view->shape)) return out_.WriteLasting({view->data, size});
    if (size > capacity_) {
      buffer_.reset();
      buffer_ = std::make_unique_for_overwrite<char[]>(size);
      capacity_ = size;
    }
    RETURN_IF_ERROR(Annotate(Annotate(tensor.Evaluate(buffer_.get()), key), paths_));
    return out_.Write({buffer_.get(), size});
  }

 private:
  Writer& out_;
  const std::string paths_;  // Of the checkpoints, for messages.
  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0;
};

// Of several files, none knows what is in the others.
std::map<std::string, std::string> MetadataFor(const std::vector<UsedCheckpoint>& checkpoints) {
  const Checkpoint& first = checkpoints.front().checkpoint;
  if (checkpoints.size() == 1 && first.format() == "safetensors") return first.metadata();
  return {{"format", "pt"}};
}

std::string Paths(const std::vector<UsedCheckpoint>& checkpoints) {
  return absl::StrJoin(checkpoints, ", ",
                       [](std::string* out, const UsedCheckpoint& used) { *out += used.checkpoint.path(); });
}

absl::StatusOr<int64_t> WriteTensors(std::vector<StoredTensor> tensors, const std::vector<UsedCheckpoint>& checkpoints,
                                     Writer& out) {
  std::sort(tensors.begin(), tensors.end(),
            [](const StoredTensor& a, const StoredTensor& b) { return ComesBefore(HeaderOf(a), HeaderOf(b)); });
  std::vector<SafetensorsTensor> headers;
  for (const StoredTensor& tensor : tensors) headers.push_back(HeaderOf(tensor));
  const std::string header = SafetensorsHeader(headers, MetadataFor(checkpoints));
  int64_t size = header.size();
  for (const SafetensorsTensor& tensor : headers) size += *ElementCount(tensor.shape) * ByteSize(tensor.dtype);
  Progress progress("write", size);
  ProgressWriter writer(out, progress);
  RETURN_IF_ERROR(writer.Write(header));
  ElementsWriter elements(writer, Paths(checkpoints));
  for (const StoredTensor& tensor : tensors) RETURN_IF_ERROR(elements.Write(tensor.key, tensor.source));
  return size;
}

}  // namespace

absl::StatusOr<int64_t> WriteStored(std::vector<StoredTensor> tensors, const std::vector<UsedCheckpoint>& checkpoints,
                                    Writer& out) {
  const absl::StatusOr<int64_t> bytes = WriteTensors(std::move(tensors), checkpoints, out);
  // If a checkpoint became shorter, writing fails with a system error that seems to be about `out`: this one comes
  // first.
  for (const UsedCheckpoint& used : checkpoints) RETURN_IF_ERROR(used.checkpoint.CheckUnchanged());
  RETURN_IF_ERROR(bytes.status());
  for (const auto& [checkpoint, sources] : checkpoints) RETURN_IF_ERROR(VerifyInputs(checkpoint, sources));
  return bytes;
}

}  // namespace modelport
