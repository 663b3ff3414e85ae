#ifndef MODELPORT_ARTIFACT_FORMAT_STORED_TENSORS_H_
#define MODELPORT_ARTIFACT_FORMAT_STORED_TENSORS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "artifact/format/stored_artifact.h"
#include "common/module_tree/module_tree.h"
#include "common/tensor/dtype.h"
#include "common/torchscript/weights/weights.h"

namespace modelport {

// The tensors of `file` for `slots`, of which `dtype` is that of those that name none. They are borrowed from it, but
// for those that are transposed there, or not aligned as LibTorch's own are, which are copied.
//   FailedPrecondition  the file has not all of them
//   DataLoss            as FindTensors
absl::StatusOr<BoundTensors> BorrowTensors(const StoredArtifact& file, const std::vector<Slot>& slots, DType dtype);

// Compares the tensors of `file` for `slots` with those of `bound`; returns how many it has.
//   DataLoss  names the first that differs; or as FindTensors
absl::StatusOr<int64_t> CompareTensors(const StoredArtifact& file, const std::vector<Slot>& slots, DType dtype,
                                       const std::vector<BoundTensors>& bound);

// How many tensors for `slots` the file holds. Errors as FindTensors.
absl::StatusOr<int64_t> CountTensors(const StoredArtifact& file, const std::vector<Slot>& slots, DType dtype);

// Makes sure that `file` holds at least a tenth of the bytes that tensors for `slots` have: a small file can name a
// large model, whose seeded weights would take memory.
//   DataLoss  it does not; or as FindTensors
absl::Status CheckHoldsTensors(const StoredArtifact& file, const std::vector<Slot>& slots, DType dtype);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_FORMAT_STORED_TENSORS_H_
