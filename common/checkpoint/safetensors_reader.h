#ifndef MODELPORT_COMMON_CHECKPOINT_SAFETENSORS_READER_H_
#define MODELPORT_COMMON_CHECKPOINT_SAFETENSORS_READER_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/checkpoint/contents.h"

namespace modelport {

// Reads a safetensors file: the length of the header in 8 bytes, the header as JSON, the data. Strict: the tensors must
// cover the data without hole or overlap, and the data must end with the file. Fills all of the contents but path and
// file.
//   DataLoss          truncated, damaged, or a header of more than 100 MB
//   InvalidArgument   no tensors, or more than the budget
//   Unimplemented     a dtype that is not supported
absl::StatusOr<CheckpointContents> ReadSafetensors(absl::string_view file);

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_SAFETENSORS_READER_H_
