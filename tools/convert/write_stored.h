#ifndef MODELPORT_TOOLS_CONVERT_WRITE_STORED_H_
#define MODELPORT_TOOLS_CONVERT_WRITE_STORED_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "common/checkpoint/checkpoint.h"
#include "common/io/writer.h"
#include "common/keymap/stored_layout.h"
#include "common/operation/slot_source.h"

namespace modelport {

// A checkpoint, and what of it a conversion reads.
struct UsedCheckpoint {
  Checkpoint checkpoint;
  std::vector<SlotSource> sources;
};

// Writes `tensors`, made of `checkpoints`, to `out` as the safetensors library does: in its order, and with the
// metadata of the only checkpoint if that is a safetensors file, or else with {"format": "pt"}. Converts tensor by
// tensor; the memory is that of one conversion. Returns the bytes of the whole file.
//   FailedPrecondition  a checkpoint changed meanwhile
//   DataLoss            a checkpoint is damaged
//   others              as Writer
absl::StatusOr<int64_t> WriteStored(std::vector<StoredTensor> tensors, const std::vector<UsedCheckpoint>& checkpoints,
                                    Writer& out);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_CONVERT_WRITE_STORED_H_
