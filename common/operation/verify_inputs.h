#ifndef MODELPORT_COMMON_OPERATION_VERIFY_INPUTS_H_
#define MODELPORT_COMMON_OPERATION_VERIFY_INPUTS_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "common/checkpoint/checkpoint.h"
#include "common/operation/slot_source.h"

namespace modelport {

// Verifies the CRC-32 of every storage of `checkpoint` that `sources` read. DataLoss names the first that differs.
absl::Status VerifyInputs(const Checkpoint& checkpoint, absl::Span<const SlotSource> sources);

}  // namespace modelport

#endif  // MODELPORT_COMMON_OPERATION_VERIFY_INPUTS_H_
