// An audit reads the weights that an export uses, to find errors that headers do not show.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_WEIGHTS_AUDIT_H_
#define MODELPORT_COMMON_TORCHSCRIPT_WEIGHTS_AUDIT_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/plan.h"
#include "common/module_tree/module_tree.h"
#include "common/torchscript/weights/bind_tensors.h"

namespace modelport {

// FailedPrecondition names the slots that hold NaN or infinite values, with counts, and separately those that only the
// conversion made infinite. `allow_nonfinite` accepts values that the checkpoint itself holds.
absl::Status AuditValues(const Checkpoint& checkpoint, const Plan& plan, const ModuleTree& tree,
                         const BoundTensors& bound, bool allow_nonfinite);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_WEIGHTS_AUDIT_H_
