#include "tests/fuzz/read_tensors.h"

#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/checkpoint/checkpoint.h"

namespace modelport {
namespace {

// Tensors may share storages, so that all of them together are far larger than the file.
constexpr size_t kMaxBytesOfDict = 1 << 20;

void ReadStateDict(const Checkpoint& checkpoint, const StateDict& dict, size_t file_size) {
  size_t total = 0;
  std::set<std::string> keys;
  FuzzCheck(!dict.tensors.empty(), "a state dict has tensors");
  for (const CheckpointTensor& tensor : dict.tensors) {
    FuzzCheck(keys.insert(tensor.key).second, "no key of a dictionary occurs twice");
    if (total > kMaxBytesOfDict) continue;
    const std::string bytes = RowMajorBytes(checkpoint, tensor);
    FuzzCheck(bytes.size() <= file_size, "a tensor is no larger than the file");
    total += bytes.size();
  }
}

}  // namespace

void FuzzReadTensors(absl::StatusOr<CheckpointContents> contents, absl::string_view file) {
  FuzzCheckFileError(contents.status());
  if (!contents.ok()) return;
  for (const Storage& storage : contents->storages) {
    if (storage.bytes.empty()) continue;
    FuzzCheck(
        storage.bytes.data() >= file.data() && storage.bytes.data() + storage.bytes.size() <= file.data() + file.size(),
        "a storage lies within the file");
  }
  contents->files = {{"input", file, nullptr}};
  const Checkpoint checkpoint(*std::move(contents));
  FuzzCheck(!checkpoint.state_dicts().empty(), "a checkpoint has a state dict");
  std::set<std::string> paths;
  for (const StateDict& dict : checkpoint.state_dicts()) {
    FuzzCheck(paths.insert(dict.path).second, "no path occurs twice");
    ReadStateDict(checkpoint, dict, file.size());
  }
  std::vector<int> storages(checkpoint.storages().size());
  std::iota(storages.begin(), storages.end(), 0);
  FuzzCheckFileError(VerifyCrc32(checkpoint, storages));
}

}  // namespace modelport
