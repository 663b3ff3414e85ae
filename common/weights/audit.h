// An audit reads every byte of a checkpoint once more than the export needs: for its digest, its CRCs and the values
// themselves. It runs beside the export, on a thread of its own.
#ifndef MODELPORT_COMMON_WEIGHTS_AUDIT_H_
#define MODELPORT_COMMON_WEIGHTS_AUDIT_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/plan.h"
#include "common/module_tree/module_tree.h"
#include "common/weights/bind_tensors.h"

namespace modelport {

// Hex sha256 of the whole file. `on_bytes` is told of every run of bytes read.
std::string FileDigest(const Checkpoint& checkpoint, const std::function<void(int64_t)>& on_bytes);

// Verifies the CRC-32 of every storage that `plan` uses. DataLoss names the first that differs.
absl::Status AuditStorages(const Checkpoint& checkpoint, const Plan& plan);

// FailedPrecondition names the slots that hold NaN or infinite values, with counts; those that only became infinite by
// conversion are told apart. `allow_nonfinite` lets through what the checkpoint itself holds.
absl::Status AuditValues(const Checkpoint& checkpoint, const Plan& plan, const ModuleTree& tree,
                         const BoundTensors& bound, bool allow_nonfinite);

}  // namespace modelport

#endif  // MODELPORT_COMMON_WEIGHTS_AUDIT_H_
