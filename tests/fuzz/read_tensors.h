#ifndef MODELPORT_TESTS_FUZZ_READ_TENSORS_H_
#define MODELPORT_TESTS_FUZZ_READ_TENSORS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/checkpoint/contents.h"
#include "tests/fuzz/fuzz_check.h"

namespace modelport {

// Ends the process unless `contents`, which a reader made of `file`, is a refusal, or describes tensors that lie within
// the file. Reads every tensor and the CRC-32 of every storage.
void FuzzReadTensors(absl::StatusOr<CheckpointContents> contents, absl::string_view file);

}  // namespace modelport

#endif  // MODELPORT_TESTS_FUZZ_READ_TENSORS_H_
