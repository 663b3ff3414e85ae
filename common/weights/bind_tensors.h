// Turns a plan into tensors: one for each slot, borrowed from the mapped checkpoint wherever its layout and dtype
// already fit.
#ifndef MODELPORT_COMMON_WEIGHTS_BIND_TENSORS_H_
#define MODELPORT_COMMON_WEIGHTS_BIND_TENSORS_H_

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/plan.h"
#include "common/module_tree/module_tree.h"
#include "common/tensor/dtype.h"
#include "common/weights/underflow.h"

namespace modelport {

// The slots whose tensor had another dtype, and what that cost.
struct Converted {
  std::vector<std::string> slots;
  Underflow underflow;
};

struct BoundTensors {
  std::vector<at::Tensor> tensors;       // One for each slot: contiguous, of the slot's shape and dtype.
  std::map<DType, Converted> converted;  // By the dtype in the checkpoint.
  std::vector<std::string> zero_filled;  // Slots that the checkpoint may lack, and lacks.
};

// Binds the tensors of `plan`; floating ones become `dtype`. Borrowed tensors point into `checkpoint`, which must
// outlive them; nothing is read that need not be copied. Strided, misaligned and converted tensors are copied.
//   FailedPrecondition  the copies would take more than twice the file's size and 64 MB, which only tensors that repeat
//                       their elements can
absl::StatusOr<BoundTensors> BindTensors(const Checkpoint& checkpoint, const Plan& plan, const ModuleTree& tree,
                                         DType dtype);

// The torch scalar type of a dtype.
at::ScalarType ToScalarType(DType dtype);

}  // namespace modelport

#endif  // MODELPORT_COMMON_WEIGHTS_BIND_TENSORS_H_
