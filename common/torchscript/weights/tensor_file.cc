#include "common/torchscript/weights/tensor_file.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/checkpoint/safetensors_writer.h"
#include "common/status/status_macros.h"
#include "common/tensor/dtype.h"
#include "common/text/printable.h"
#include "common/torchscript/script/torch_status.h"
#include "common/torchscript/weights/weights.h"

namespace modelport {
namespace {

absl::optional<DType> FindDType(at::ScalarType type) {
  for (const DType dtype :
       {DType::kFloat64, DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kFloat8E4M3, DType::kFloat8E5M2,
        DType::kInt64, DType::kInt32, DType::kInt16, DType::kInt8, DType::kUInt8, DType::kBool}) {
    if (ToScalarType(dtype) == type) return dtype;
  }
  return absl::nullopt;
}

}  // namespace

absl::StatusOr<at::Tensor> CopyTensor(const Checkpoint& file, const CheckpointTensor& tensor) {
  if (!IsComputed(tensor.dtype)) {
    return absl::InvalidArgumentError(
        absl::StrCat(Brief(tensor.key), ": is ", DTypeName(tensor.dtype), ", with which nothing computes here"));
  }
  return CatchTorch([&] {
    const std::string bytes = RowMajorBytes(file, tensor);
    const bool is_bool = tensor.dtype == DType::kBool;
    at::Tensor copy = at::empty(tensor.shape, is_bool ? at::kByte : ToScalarType(tensor.dtype));
    std::memcpy(copy.mutable_data_ptr(), bytes.data(), bytes.size());
    // Other bytes than 0 and 1 are not booleans to LibTorch.
    return is_bool ? copy.ne(0) : copy;
  });
}

absl::StatusOr<std::map<std::string, at::Tensor>> CopyTensors(const Checkpoint& file) {
  std::map<std::string, at::Tensor> tensors;
  for (const CheckpointTensor& tensor : file.state_dicts().front().tensors) {
    ASSIGN_OR_RETURN(tensors[tensor.key], CopyTensor(file, tensor));
  }
  return tensors;
}

absl::Status WriteTensors(const std::vector<std::pair<std::string, at::Tensor>>& tensors,
                          const std::map<std::string, std::string>& metadata, Writer& out) {
  std::vector<std::pair<SafetensorsTensor, at::Tensor>> entries;
  for (const auto& [name, tensor] : tensors) {
    const absl::optional<DType> dtype = FindDType(tensor.scalar_type());
    if (!dtype) {
      return absl::UnimplementedError(absl::StrCat(Brief(name), " is a tensor of ", c10::toString(tensor.scalar_type()),
                                                   ", which a safetensors file does not hold"));
    }
    entries.push_back({{name, *dtype, tensor.sizes().vec()}, tensor});
  }
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return ComesBefore(a.first, b.first); });
  std::vector<SafetensorsTensor> headers;
  for (const auto& [header, tensor] : entries) headers.push_back(header);
  RETURN_IF_ERROR(out.Write(SafetensorsHeader(headers, metadata)));
  for (const auto& [header, tensor] : entries) {
    ASSIGN_OR_RETURN(const at::Tensor bytes, CatchTorch([&, &tensor = tensor] { return tensor.contiguous(); }));
    RETURN_IF_ERROR(out.Write({static_cast<const char*>(bytes.const_data_ptr()), bytes.nbytes()}));
  }
  return absl::OkStatus();
}

}  // namespace modelport
