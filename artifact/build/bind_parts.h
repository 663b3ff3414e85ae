// Tensors for all slots of a tree from the checkpoints that fill its parts.
#ifndef MODELPORT_ARTIFACT_BUILD_BIND_PARTS_H_
#define MODELPORT_ARTIFACT_BUILD_BIND_PARTS_H_

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/module_tree/keep_outputs.h"
#include "common/tensor/dtype.h"
#include "common/torchscript/weights/bind_tensors.h"
#include "registry/recognise/map_weights.h"

namespace modelport {

// The tensors of each of `parts`, which they borrow from. `made` and errors as those of BindTensors.
absl::StatusOr<std::vector<BoundTensors>> BindParts(const std::vector<MappedPart>& parts, DType dtype,
                                                    const std::string& made = "");

// The tensors of the whole tree in the order of its slots.
std::vector<at::Tensor> AllTensors(const std::vector<BoundTensors>& bound);

// FailedPrecondition if a checkpoint of `parts` has changed since it was opened.
absl::Status CheckUnchanged(const std::vector<MappedPart>& parts);

// Removes from `parts`, which fill all slots of a model, those that `kept` leaves out of it. A checkpoint is mapped
// onto the whole model first, so that one that lacks a tensor is refused, whatever the artifact keeps.
void KeepSlots(const KeptOutputs& kept, std::vector<MappedPart>& parts);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_BUILD_BIND_PARTS_H_
