// Tensors of LibTorch in safetensors files.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_WEIGHTS_TENSOR_FILE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_WEIGHTS_TENSOR_FILE_H_

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/checkpoint/checkpoint.h"
#include "common/io/writer.h"

namespace modelport {

// A copy of a tensor of `file` in LibTorch's own memory, with its dtype and shape; of booleans, every byte but 0 is
// true.
//   InvalidArgument     LibTorch computes nothing of its dtype: 8-bit floats and complex numbers
//   ResourceExhausted   as CatchTorch
absl::StatusOr<at::Tensor> CopyTensor(const Checkpoint& file, const CheckpointTensor& tensor);

// Such copies of all tensors of the first state dict of `file`, by their keys. Errors are those of CopyTensor.
absl::StatusOr<std::map<std::string, at::Tensor>> CopyTensors(const Checkpoint& file);

// Writes a safetensors file with these names, each of which stands once, and metadata.
//   Unimplemented   a tensor of another dtype than those of safetensors
//   others          as Writer::Write
absl::Status WriteTensors(const std::vector<std::pair<std::string, at::Tensor>>& tensors,
                          const std::map<std::string, std::string>& metadata, Writer& out);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_WEIGHTS_TENSOR_FILE_H_
