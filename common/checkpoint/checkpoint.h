// A Checkpoint is an opened file of weights, or several that an index binds together: the keys, shapes, dtypes and
// strides of its tensors, read from the headers alone. The files are mapped into memory, so that weights are borrowed
// from them and not copied.
//
//   ASSIGN_OR_RETURN(Checkpoint checkpoint, OpenCheckpoint("model.pth"));
//   for (const StateDict& dict : checkpoint.state_dicts()) { ... dict.tensors ... }
#ifndef MODELPORT_COMMON_CHECKPOINT_CHECKPOINT_H_
#define MODELPORT_COMMON_CHECKPOINT_CHECKPOINT_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/checkpoint/contents.h"
#include "common/tensor/tensor_view.h"

namespace modelport {

// Copies share the open files: what is borrowed from one stays valid as long as any of them lives.
class Checkpoint {
 public:
  using Contents = CheckpointContents;
  explicit Checkpoint(Contents contents);

  const std::string& path() const { return contents_->path; }
  const std::string& format() const { return contents_->format; }
  const std::vector<OpenedFile>& files() const { return contents_->files; }
  const std::vector<Storage>& storages() const { return contents_->storages; }
  const std::vector<StateDict>& state_dicts() const { return contents_->state_dicts; }
  const std::vector<LooseTensors>& loose() const { return contents_->loose; }
  const std::map<std::string, std::string>& metadata() const { return contents_->metadata; }

  // The tensors of `dict`, one of the checkpoint's, whose keys begin with `prefix`, such as "model.": a dictionary with
  // the rest of these keys, whose path is that of `dict` and the prefix without its last dot. Null if there are none.
  // Lives as long as a copy of the checkpoint.
  const StateDict* FindPart(const StateDict& dict, absl::string_view prefix) const;

  // Of all files, in bytes.
  int64_t size() const;

  // FailedPrecondition if a file has changed since it was opened. Call it after everything was read.
  absl::Status CheckUnchanged() const;

  // True for copies of one Checkpoint.
  friend bool operator==(const Checkpoint& a, const Checkpoint& b) { return a.contents_ == b.contents_; }

 private:
  struct Parts;

  std::shared_ptr<const Contents> contents_;
  std::shared_ptr<Parts> parts_;
};

// Opens a checkpoint in any supported format, which its bytes tell and not its name. `path` may be the index of shards
// (model.safetensors.index.json), which lie in its folder. Reads headers only. Messages begin with the path.
//   NotFound          no such file, or a shard is missing
//   DataLoss          empty, truncated or damaged
//   InvalidArgument   shards that do not hold the keys that the index says
//   InvalidArgument   not a checkpoint: an HTML page, a Git LFS pointer, a whole pickled model, a list, no tensors, ...
//   Unimplemented     a checkpoint that needs something unsupported (a dtype, a pickle opcode)
absl::StatusOr<Checkpoint> OpenCheckpoint(const std::string& path);

// The elements of `tensor`, one of the checkpoint's, where they are in the file.
TensorView ViewTensor(const Checkpoint& checkpoint, const CheckpointTensor& tensor);

// A copy of the tensor's elements in row-major order, in its own dtype.
std::string RowMajorBytes(const Checkpoint& checkpoint, const CheckpointTensor& tensor);

// Compares the CRC-32 of each storage in `storages` (indices) with the one that the file states; storages without one
// pass. DataLoss names the first storage that differs.
absl::Status VerifyCrc32(const Checkpoint& checkpoint, const std::vector<int>& storages);

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_CHECKPOINT_H_
