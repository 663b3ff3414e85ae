// The formats of checkpoints, each read from the bytes of a file. All fill the contents but path and file.
#ifndef MODELPORT_COMMON_CHECKPOINT_READERS_H_
#define MODELPORT_COMMON_CHECKPOINT_READERS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/checkpoint/contents.h"

namespace modelport {

// Reads a safetensors file: the length of the header in 8 bytes, the header as JSON, the data. Strict: the tensors must
// cover the data without hole or overlap, and the data must end with the file.
//   DataLoss          truncated, damaged, or a header of more than 100 MB
//   InvalidArgument   no tensors, or more than the budget
//   Unimplemented     a dtype that is not supported
absl::StatusOr<CheckpointContents> ReadSafetensors(absl::string_view file);

// Reads a file that torch.save wrote before PyTorch 1.6, or later with _use_new_zipfile_serialization=False: five
// pickles (a magic number, a protocol version, facts about the system, the object, the keys of its storages), then the
// storages. Also a pickle of NumPy arrays that torch.save did not write.
//   DataLoss          truncated or damaged, or bytes that follow the last storage
//   InvalidArgument   errors of CollectStateDicts
//   Unimplemented     big-endian data; errors of CollectStateDicts
absl::StatusOr<CheckpointContents> ReadTorchLegacy(absl::string_view file);

// Reads a file as torch.save writes it since PyTorch 1.6: a zip archive of a pickle and one record for each storage.
// Also the weights of a TorchScript archive, whose code is not read.
//   DataLoss          truncated or damaged, or a storage that the pickle does not mention
//   InvalidArgument   an archive that is not a checkpoint, or holds several; errors of CollectStateDicts
//   Unimplemented     big-endian data; errors of CollectStateDicts
absl::StatusOr<CheckpointContents> ReadTorchZip(absl::string_view file);

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_READERS_H_
