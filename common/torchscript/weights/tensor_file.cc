#include "common/torchscript/weights/tensor_file.h"

#include <ATen/ops/from_blob.h>

#include <memory>

#include "absl/strings/string_view.h"
#include "common/io/mapped_file.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

// That of LibTorch's own tensors, so that kernels take the same path.
constexpr int64_t kAlignment = 64;

}  // namespace

absl::Status TensorFile::Append(const at::Tensor& tensor) {
  if (!file_) {
    ASSIGN_OR_RETURN(file_, OutputFile::Create(path_));
  }
  const size_t bytes = tensor.nbytes();
  RETURN_IF_ERROR(file_->Write({static_cast<const char*>(tensor.const_data_ptr()), bytes}));
  entries_.push_back({size_, tensor.sizes().vec(), tensor.scalar_type()});
  const size_t padding = (kAlignment - bytes % kAlignment) % kAlignment;
  RETURN_IF_ERROR(file_->Write(std::string(padding, '\0')));
  size_ += static_cast<int64_t>(bytes + padding);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<at::Tensor>> TensorFile::Map() const {
  std::vector<at::Tensor> tensors;
  if (entries_.empty()) return tensors;
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> mapped, MappedFile::Open(file_->ReadablePath()));
  for (const Entry& entry : entries_) {
    char* const data = const_cast<char*>(mapped->bytes().data() + entry.offset);
    tensors.push_back(at::from_blob(
        data, entry.shape, [mapped](void*) {}, entry.type));
  }
  return tensors;
}

}  // namespace modelport
