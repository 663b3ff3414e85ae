// What a checkpoint holds, as its reader finds it in the headers.
#ifndef MODELPORT_COMMON_CHECKPOINT_CONTENTS_H_
#define MODELPORT_COMMON_CHECKPOINT_CONTENTS_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"

namespace modelport {

class MappedFile;

// A file that a checkpoint consists of, or memory in place of one.
struct OpenedFile {
  std::string path;                         // For messages.
  absl::string_view bytes;                  // All of it.
  std::shared_ptr<const void> owner;        // Of `bytes`.
  const MappedFile* mapped_file = nullptr;  // The same as `owner`; null for bytes that were made in memory.
};

// A contiguous range of a file's bytes that tensors view: a torch storage, or one tensor's data in safetensors.
struct Storage {
  absl::string_view name;          // For messages: "archive/data/0"; empty where only one tensor can view it.
  absl::string_view bytes;         // Borrowed from the file; valid as long as the Checkpoint lives.
  absl::optional<uint32_t> crc32;  // As the file states it (zip only), not yet verified.
  int file = 0;                    // Index into Checkpoint::files().
};

// A tensor as the file describes it. The reader guarantees that every element lies within its storage, and that the
// tensor's elements take no more bytes than the file has.
struct CheckpointTensor {
  std::string key;  // The key in its state dict, made printable by Printable().
  DType dtype;
  Shape shape;
  std::vector<int64_t> strides;  // In elements; 0 and non-contiguous strides occur.
  int64_t offset = 0;            // Of the first element in the storage, in elements; 0 without elements.
  int storage = 0;               // Index into Checkpoint::storages().
};

// True if `a` and `b`, two tensors of one file, are the same elements in the same order.
inline bool SameElements(const CheckpointTensor& a, const CheckpointTensor& b) {
  return a.storage == b.storage && a.offset == b.offset && a.dtype == b.dtype && a.shape == b.shape &&
         a.strides == b.strides;
}

// A dictionary of the file that holds tensors. A file saved as {"model": state_dict, "optimizer": ...} has several.
struct StateDict {
  // The dotted keys that lead to it, made printable: "" for the file's root, "teacher", "optimizer.state.0". No two
  // dictionaries have the same path.
  std::string path;
  std::vector<CheckpointTensor> tensors;  // In file order; no key occurs twice.
  std::vector<std::string> also;          // Other paths of the same dictionary.
  // The class of the module that was pickled whole, "nets.Net", where these are its parameters and buffers under the
  // keys that its state dict would have; empty for a dictionary.
  std::string module = {};
};

// Tensors beside those of the dictionaries: those in a list, a tuple or an object. A storage without a tensor counts as
// one, too, and so does an entry of a dictionary that is a tensor of a kind whose elements are not read.
struct LooseTensors {
  std::string path;    // Of the value that holds them, as in StateDict: "models.0".
  std::string holder;  // What that value is: "a list", "an object of class nets.Net", "a sparse tensor".
  int64_t tensors = 0;
  int64_t elements = 0;  // As far as their dtypes are known.
  std::string key = {};  // Of an entry of a dictionary, in it; else empty.
};

// Everything that a reader finds in a checkpoint.
struct CheckpointContents {
  std::string path;               // As the user named it, for messages.
  std::string format;             // "safetensors", "torch.save (zip)", "torch.save (legacy)", "pickle", "seeded".
  std::vector<OpenedFile> files;  // One, or an index and the shards that it names.
  std::vector<Storage> storages;
  // All tensors of the files: those in dictionaries, and the others.
  std::vector<StateDict> state_dicts;  // At least one, each with at least one tensor.
  std::vector<LooseTensors> loose;
  std::map<std::string, std::string> metadata;  // safetensors' __metadata__.
  // Bytes of storages that a file has in another form, from which its reader decoded them, until KeepDecoded.
  std::shared_ptr<std::deque<std::string>> decoded = nullptr;
};

// Lets `file`, of which `contents` were read, own what was decoded.
inline void KeepDecoded(CheckpointContents& contents, OpenedFile& file) {
  if (contents.decoded == nullptr) return;
  using Both = std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>;
  file.owner = std::make_shared<const Both>(std::move(file.owner), std::move(contents.decoded));
}

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_CONTENTS_H_
