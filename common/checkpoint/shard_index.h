#ifndef MODELPORT_COMMON_CHECKPOINT_SHARD_INDEX_H_
#define MODELPORT_COMMON_CHECKPOINT_SHARD_INDEX_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

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

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_SHARD_INDEX_H_
