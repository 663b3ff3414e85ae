// Turns a plan into tensors, one for each slot, and audits them. A tensor that has the right strides and dtype in the
// file is borrowed from there.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_WEIGHTS_WEIGHTS_H_
#define MODELPORT_COMMON_TORCHSCRIPT_WEIGHTS_WEIGHTS_H_

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "common/checkpoint/checkpoint.h"
#include "common/io/output_file.h"
#include "common/keymap/plan.h"
#include "common/module_tree/module_tree.h"
#include "common/operation/slot_source.h"
#include "common/tensor/dtype.h"
#include "common/torchscript/weights/count_values.h"

namespace modelport {

// The slots whose source has another dtype than they get, and what the conversion lost.
struct Converted {
  std::vector<std::string> slots;
  Underflow underflow;
};

struct BoundTensors {
  std::vector<at::Tensor> tensors;       // One for each slot: contiguous, of the slot's shape and dtype.
  std::map<DType, Converted> converted;  // By the dtype of the source.
};

// Evaluates the sources of `plan`, which reads `checkpoint`, one after the other; floating tensors become `dtype`.
// Borrowed tensors point into the checkpoint, which must stay open while they are used, and their bytes are not read
// here. Other tensors are made: those that operations make, that are strided or misaligned in the file, or of another
// dtype. They take memory; but if `made` is the path of a file, as for TensorFile, those of 1 MB and more are kept
// there.
//   FailedPrecondition  the tensors to be made would take more than twice the file's size and 64 MB: only tensors that
//                       repeat their elements can take that much; or a rule's cast does not hold a number
//   others              as TensorFile::Append
absl::StatusOr<BoundTensors> BindTensors(const Checkpoint& checkpoint, const Plan& plan, const ModuleTree& tree,
                                         DType dtype, const std::string& made = "");

// The elements of `source`, in its own dtype. Where they are in a file, aligned, the tensor borrows them with their
// strides and is valid while that checkpoint is open; it must not be written to. Other elements are evaluated into a
// contiguous tensor.
//   ResourceExhausted  memory ran out
//   others             as SlotSource::Evaluate
absl::StatusOr<at::Tensor> ReadSource(const SlotSource& source);

// The tensors of all of `bound`, in order.
std::vector<at::Tensor> TensorsOf(const std::vector<BoundTensors>& bound);

// How many bytes they have.
int64_t TotalBytes(const std::vector<BoundTensors>& bound);

// The torch scalar type of a dtype.
at::ScalarType ToScalarType(DType dtype);

// Reads the weights that an export uses, to find errors that headers do not show.
// FailedPrecondition names the slots that hold NaN or infinite values, with counts, and separately those that only the
// conversion made infinite. `allow_nonfinite` accepts values that the checkpoint itself holds.
absl::Status AuditValues(const Checkpoint& checkpoint, const Plan& plan, const ModuleTree& tree,
                         const BoundTensors& bound, bool allow_nonfinite);

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

#endif  // MODELPORT_COMMON_TORCHSCRIPT_WEIGHTS_WEIGHTS_H_
