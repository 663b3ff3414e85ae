#ifndef MODELPORT_COMMON_OPERATION_SOURCE_INPUT_H_
#define MODELPORT_COMMON_OPERATION_SOURCE_INPUT_H_

#include "common/checkpoint/checkpoint.h"

namespace modelport {

// A tensor of a checkpoint that a slot's source reads. Keeps the checkpoint open.
struct SourceInput {
  Checkpoint checkpoint;
  const CheckpointTensor* tensor;  // One of the checkpoint's.

  // True if both are the same elements of one checkpoint, whatever their keys.
  friend bool operator==(const SourceInput& a, const SourceInput& b) {
    return a.checkpoint == b.checkpoint && SameElements(*a.tensor, *b.tensor);
  }
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_OPERATION_SOURCE_INPUT_H_
