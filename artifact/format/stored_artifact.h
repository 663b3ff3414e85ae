// The file of an artifact as it can be read without running any of its code.
#ifndef MODELPORT_ARTIFACT_FORMAT_STORED_ARTIFACT_H_
#define MODELPORT_ARTIFACT_FORMAT_STORED_ARTIFACT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/io/mapped_file.h"
#include "common/module_tree/module_tree.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "targets/target/target.h"

namespace modelport {

// A part of an artifact, which lies in its file or its data file.
struct StoredPart {
  std::string name;                     // Of the part, for messages: "archive/data/0".
  absl::string_view bytes;              // The elements of a tensor, row-major, or a text.
  absl::optional<uint32_t> crc32 = {};  // As the file states it; not verified.
  bool is_transposed = false;           // Whether the elements are those of the transpose of the tensor, a matrix.
};

// The strides of a tensor of this shape in the elements of `part`.
inline std::vector<int64_t> StridesIn(const StoredPart& part, const Shape& shape) {
  return part.is_transposed ? std::vector<int64_t>{1, shape[0]} : RowMajorStrides(shape);
}

// An untrusted file, mapped into memory, and the data file beside it if it has one. Each format has its own.
class StoredArtifact {
 public:
  StoredArtifact(std::string path, std::shared_ptr<const MappedFile> file,
                 std::shared_ptr<const MappedFile> data = nullptr)
      : path_(std::move(path)), file_(std::move(file)), data_(std::move(data)) {}
  virtual ~StoredArtifact() = default;

  const std::string& path() const { return path_; }
  absl::string_view bytes() const { return file_->bytes(); }
  const MappedFile& mapped_file() const { return *file_; }
  const MappedFile* data_file() const { return data_.get(); }  // Null if it needs none.

  // FailedPrecondition if a file has changed since it was opened.
  absl::Status CheckUnchanged() const {
    const absl::Status file = file_->CheckUnchanged();
    return !file.ok() || data_ == nullptr ? file : data_->CheckUnchanged();
  }

  virtual FormatKind format() const = 0;

  // Whether it holds code, as artifacts do and checkpoints do not.
  virtual bool has_code() const = 0;

  // The manifest in the file; nullopt if it has none.
  //   DataLoss  it is compressed, as Modelport never does
  virtual absl::StatusOr<absl::optional<StoredPart>> FindManifest() const = 0;

  // The tensors for `slots`, in their order. Those that name no dtype are of `dtype`. Nullopt where a format that keeps
  // only what its code uses has none.
  //   DataLoss  a tensor is missing, is compressed or has another size, or the file holds tensors of no slot
  virtual absl::StatusOr<std::vector<absl::optional<StoredPart>>> FindTensors(const std::vector<Slot>& slots,
                                                                              DType dtype) const = 0;

 private:
  std::string path_;
  std::shared_ptr<const MappedFile> file_, data_;
};

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_FORMAT_STORED_ARTIFACT_H_
