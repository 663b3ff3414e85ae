// A Checkpoint is an opened file of weights: the names, shapes, dtypes and places of its tensors, read from the headers
// alone, and the file mapped into memory, so that weights are borrowed and never copied.
//
//   ASSIGN_OR_RETURN(Checkpoint checkpoint, OpenCheckpoint("dinov2_vits14_pretrain.pth"));
//   for (const StateDict& dict : checkpoint.state_dicts()) { ... dict.tensors ... }
#ifndef MODELPORT_COMMON_CHECKPOINT_CHECKPOINT_H_
#define MODELPORT_COMMON_CHECKPOINT_CHECKPOINT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"

namespace modelport {

// A run of bytes in the file that tensors view: a torch storage, or one tensor's data in safetensors.
struct Storage {
  std::string name;                // For messages: "archive/data/0", or the safetensors key.
  absl::string_view bytes;         // Borrowed from the mapped file; valid as long as the Checkpoint lives.
  absl::optional<uint32_t> crc32;  // As the file states it (zip only), not yet verified.
};

// A tensor as the file describes it. The reader guarantees that every element lies within its storage.
struct CheckpointTensor {
  std::string key;  // The key in its state dict, as stored.
  DType dtype;
  Shape shape;
  std::vector<int64_t> strides;  // In elements; 0 and non-contiguous strides occur.
  int64_t offset = 0;            // Of the first element in the storage, in elements.
  int storage = 0;               // Index into Checkpoint::storages().
};

// A dictionary of the file that holds tensors. A file saved as {"model": state_dict, "optimizer": ...} has several.
struct StateDict {
  std::string path;  // Dotted keys that lead to it: "" for the file's root, "teacher", "optimizer.state.0".
  std::vector<CheckpointTensor> tensors;  // In file order.
};

class Checkpoint {
 public:
  // What a reader has found; `file` keeps the mapped bytes alive.
  struct Contents {
    std::string path;         // As the user named it, for messages.
    std::string format;       // "safetensors", "torch.save (zip)", "torch.save (legacy)", "seeded".
    absl::string_view bytes;  // The whole file.
    std::vector<Storage> storages;
    std::vector<StateDict> state_dicts;           // At least one, each with at least one tensor.
    std::map<std::string, std::string> metadata;  // safetensors' __metadata__.
    std::shared_ptr<const void> file;
  };
  explicit Checkpoint(Contents contents) : contents_(std::move(contents)) {}

  const std::string& path() const { return contents_.path; }
  const std::string& format() const { return contents_.format; }
  absl::string_view bytes() const { return contents_.bytes; }
  const std::vector<Storage>& storages() const { return contents_.storages; }
  const std::vector<StateDict>& state_dicts() const { return contents_.state_dicts; }
  const std::map<std::string, std::string>& metadata() const { return contents_.metadata; }

 private:
  Contents contents_;
};

// Opens a checkpoint in any supported format, told by its bytes and not by its name. Reads headers only.
//   NotFound            no such file
//   DataLoss            truncated or damaged
//   InvalidArgument     not a checkpoint: an HTML page, a Git LFS pointer, a whole pickled model, a list, no tensors,
//   ... Unimplemented       a checkpoint that needs something unsupported (a dtype, a pickle opcode)
absl::StatusOr<Checkpoint> OpenCheckpoint(const std::string& path);

// The tensor's elements in row-major order and in its own dtype. Copies; for tests and small tensors.
std::string RowMajorBytes(const Checkpoint& checkpoint, const CheckpointTensor& tensor);

// Compares the CRC-32 of each storage in `storages` (indices) with the one that the file states; storages without one
// pass. DataLoss names the first storage that differs.
absl::Status VerifyCrc32(const Checkpoint& checkpoint, const std::vector<int>& storages);

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_CHECKPOINT_H_
