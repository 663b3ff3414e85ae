// Turns a plan into tensors, one for each slot. A tensor that has the right strides and dtype in the file is borrowed
// from there.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_WEIGHTS_BIND_TENSORS_H_
#define MODELPORT_COMMON_TORCHSCRIPT_WEIGHTS_BIND_TENSORS_H_

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/plan.h"
#include "common/module_tree/module_tree.h"
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

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_WEIGHTS_BIND_TENSORS_H_
