// What a checkpoint holds, as its reader finds it in the headers.
#ifndef MODELPORT_COMMON_CHECKPOINT_CONTENTS_H_
#define MODELPORT_COMMON_CHECKPOINT_CONTENTS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

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

// A tensor as the file describes it. The reader guarantees that every element lies within its storage, and that the
// tensor's elements take no more bytes than the file has.
struct CheckpointTensor {
  std::string key;  // The key in its state dict, as stored; UTF-8.
  DType dtype;
  Shape shape;
  std::vector<int64_t> strides;  // In elements; 0 and non-contiguous strides occur.
  int64_t offset = 0;            // Of the first element in the storage, in elements.
  int storage = 0;               // Index into Checkpoint::storages().
};

// A dictionary of the file that holds tensors. A file saved as {"model": state_dict, "optimizer": ...} has several.
struct StateDict {
  std::string path;  // Dotted keys that lead to it: "" for the file's root, "teacher", "optimizer.state.0".
  std::vector<CheckpointTensor> tensors;  // In file order; no key occurs twice.
};

// What a reader has found; `file` keeps the mapped bytes alive.
struct CheckpointContents {
  std::string path;         // As the user named it, for messages.
  std::string format;       // "safetensors", "torch.save (zip)", "torch.save (legacy)", "seeded".
  absl::string_view bytes;  // The whole file.
  std::vector<Storage> storages;
  std::vector<StateDict> state_dicts;           // At least one, each with at least one tensor.
  std::map<std::string, std::string> metadata;  // safetensors' __metadata__.
  std::shared_ptr<const void> file;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_CONTENTS_H_
