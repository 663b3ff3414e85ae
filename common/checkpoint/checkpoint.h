// A Checkpoint is an opened file of weights: the names, shapes, dtypes and places of its tensors, read from the headers
// alone, and the file mapped into memory, so that weights are borrowed and never copied.
//
//   ASSIGN_OR_RETURN(Checkpoint checkpoint, OpenCheckpoint("dinov2_vits14_pretrain.pth"));
//   for (const StateDict& dict : checkpoint.state_dicts()) { ... dict.tensors ... }
#ifndef MODELPORT_COMMON_CHECKPOINT_CHECKPOINT_H_
#define MODELPORT_COMMON_CHECKPOINT_CHECKPOINT_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/checkpoint/contents.h"

namespace modelport {

class Checkpoint {
 public:
  using Contents = CheckpointContents;
  explicit Checkpoint(Contents contents) : contents_(std::move(contents)) {}

  const std::string& path() const { return contents_.path; }
  const std::string& format() const { return contents_.format; }
  absl::string_view bytes() const { return contents_.bytes; }
  const std::vector<Storage>& storages() const { return contents_.storages; }
  const std::vector<StateDict>& state_dicts() const { return contents_.state_dicts; }
  const std::vector<LooseTensors>& loose() const { return contents_.loose; }
  const std::map<std::string, std::string>& metadata() const { return contents_.metadata; }

  // FailedPrecondition if the file has changed since it was opened. To be called when all is read.
  absl::Status CheckUnchanged() const;

 private:
  Contents contents_;
};

// Opens a checkpoint in any supported format, told by its bytes and not by its name. Reads headers only. Messages begin
// with the path.
//   NotFound          no such file
//   DataLoss          empty, truncated or damaged
//   InvalidArgument   not a checkpoint: an HTML page, a Git LFS pointer, a whole pickled model, a list, no tensors, ...
//   Unimplemented     a checkpoint that needs something unsupported (a dtype, a pickle opcode)
absl::StatusOr<Checkpoint> OpenCheckpoint(const std::string& path);

// The tensor's elements in row-major order and in its own dtype. Copies; for tests and small tensors.
std::string RowMajorBytes(const Checkpoint& checkpoint, const CheckpointTensor& tensor);

// Compares the CRC-32 of each storage in `storages` (indices) with the one that the file states; storages without one
// pass. DataLoss names the first storage that differs.
absl::Status VerifyCrc32(const Checkpoint& checkpoint, const std::vector<int>& storages);

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_CHECKPOINT_H_
