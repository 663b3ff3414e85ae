#ifndef MODELPORT_COMMON_CHECKPOINT_TORCH_ZIP_READER_H_
#define MODELPORT_COMMON_CHECKPOINT_TORCH_ZIP_READER_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/checkpoint/contents.h"

namespace modelport {

// Reads a file as torch.save writes it since PyTorch 1.6: a zip archive of a pickle and one record for each storage.
// Fills all of the contents but path and file.
//   DataLoss          truncated or damaged, or a storage that the pickle does not mention
//   InvalidArgument   an archive that is not a checkpoint, such as a TorchScript artifact, or holds several
//   checkpoints;
//                     errors of CollectStateDicts
//   Unimplemented     big-endian data; errors of CollectStateDicts
absl::StatusOr<CheckpointContents> ReadTorchZip(absl::string_view file);

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_TORCH_ZIP_READER_H_
