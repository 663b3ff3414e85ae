#ifndef MODELPORT_COMMON_CHECKPOINT_TORCH_LEGACY_READER_H_
#define MODELPORT_COMMON_CHECKPOINT_TORCH_LEGACY_READER_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/checkpoint/contents.h"

namespace modelport {

// Reads a file that torch.save wrote before PyTorch 1.6, or later with _use_new_zipfile_serialization=False: five
// pickles (a magic number, a protocol version, facts about the system, the object, the keys of its storages), then the
// storages. Fills all of the contents but path and file.
//   DataLoss          truncated or damaged, or bytes that follow the last storage
//   InvalidArgument   a pickle that torch.save did not write; errors of CollectStateDicts
//   Unimplemented     big-endian data; errors of CollectStateDicts
absl::StatusOr<CheckpointContents> ReadTorchLegacy(absl::string_view file);

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_TORCH_LEGACY_READER_H_
