// The index of shards, model.safetensors.index.json.
#include "common/checkpoint/shards.h"
#include "tests/fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::StatusOr<modelport::ShardIndex> index = modelport::ParseShardIndex(modelport::FuzzText(data, size));
  modelport::FuzzCheckFileError(index.status());
  if (!index.ok()) return 0;
  modelport::FuzzCheck(!index->shards.empty(), "an index names a shard");
  for (const std::string& shard : index->shards) {
    const bool is_name =
        shard.find('/') == shard.npos && shard.find('\0') == shard.npos && shard != "." && shard != "..";
    modelport::FuzzCheck(is_name && !shard.empty(), "a shard is a file of the index's folder");
  }
  for (const auto& [key, shard] : index->keys) modelport::FuzzCheck(shard < index->shards.size(), "a key has a shard");
  return 0;
}
