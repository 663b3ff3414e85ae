#ifndef MODELPORT_COMMON_CHECKPOINT_SHARDS_H_
#define MODELPORT_COMMON_CHECKPOINT_SHARDS_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/checkpoint/contents.h"

namespace modelport {

// The index of a checkpoint that is split into several files, as Hugging Face's libraries write it
// (model.safetensors.index.json).
struct ShardIndex {
  std::vector<std::string> shards;                // Names of files in the index's folder, sorted; at least one.
  absl::flat_hash_map<std::string, size_t> keys;  // The shard of each key, which Printable() made printable.
};

// Parses {"metadata": ..., "weight_map": {key: name of a file}}. Other fields are ignored.
//   DataLoss          not JSON in UTF-8, or a key that occurs twice
//   InvalidArgument   no weight_map, a shard in another folder, more than 1000 shards, or more keys than the budget
absl::StatusOr<ShardIndex> ParseShardIndex(absl::string_view json);

// Reads the shards that `index` names, each with `read`, as one state dict: the tensors of the first shard, in its
// order, then those of the next. Fills all of the contents but path; the files are the index and the shards.
//   NotFound          a shard is not in the index's folder
//   InvalidArgument   a shard does not hold the keys that the index says, a key is in two shards, or a shard has more
//                     than one dictionary; the message lists all such keys, the first few of each kind
//   others            as ParseShardIndex and `read`
absl::StatusOr<CheckpointContents> ReadShards(
    const OpenedFile& index, absl::FunctionRef<absl::StatusOr<CheckpointContents>(absl::string_view file)> read);

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_SHARDS_H_
