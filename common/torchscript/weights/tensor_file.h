#ifndef MODELPORT_COMMON_TORCHSCRIPT_WEIGHTS_TENSOR_FILE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_WEIGHTS_TENSOR_FILE_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "common/io/output_file.h"

namespace modelport {

// A file, as a rule without a name, that holds tensors in place of memory. The system can bring its pages to the disk
// when memory becomes scarce. It is gone with this object and the tensors that Map returned, even if the process is
// killed, as OutputFile says.
class TensorFile {
 public:
  // `path` names the folder, and the file in messages. Creates nothing yet.
  explicit TensorFile(std::string path) : path_(std::move(path)) {}

  // Writes the elements of `tensor`, which is contiguous, to the end of the file.
  //   ResourceExhausted  the disk is full
  //   others             as OutputFile::Create
  absl::Status Append(const at::Tensor& tensor);

  // All tensors in the order in which they were appended, borrowed from the file; they must not be written to.
  absl::StatusOr<std::vector<at::Tensor>> Map() const;

 private:
  struct Entry {
    int64_t offset;
    std::vector<int64_t> shape;
    at::ScalarType type;
  };

  std::string path_;
  absl::optional<OutputFile> file_;  // None before the first tensor.
  int64_t size_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_WEIGHTS_TENSOR_FILE_H_
