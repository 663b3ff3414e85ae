#include "bench/seeded_file.h"

#include <caffe2/serialize/inline_container.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/checkpoint/checkpoint.h"
#include "common/checkpoint/seeded.h"
#include "common/checkpoint/testing/pickle_writer.h"
#include "common/keymap/published_keys.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "nlohmann/json.hpp"

namespace modelport {
namespace {

absl::StatusOr<Checkpoint> SeededCheckpoint(const CatalogEntry& entry) {
  ASSIGN_OR_RETURN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, entry.variant->module));
  return MakeSeededCheckpoint(PublishedKeys(entry.plugin->key_map, tree), /*seed=*/0);
}

// What the two formats call a dtype.
struct DTypeNames {
  DType dtype;
  absl::string_view safetensors;
  absl::string_view storage;  // torch's storage class.
};

constexpr DTypeNames kDTypeNames[] = {
    {DType::kFloat32, "F32", "FloatStorage"}, {DType::kInt64, "I64", "LongStorage"},
    {DType::kInt32, "I32", "IntStorage"},     {DType::kInt16, "I16", "ShortStorage"},
    {DType::kInt8, "I8", "CharStorage"},      {DType::kUInt8, "U8", "ByteStorage"},
    {DType::kBool, "BOOL", "BoolStorage"},
};

// Seeded checkpoints hold float32 and what is not floating, so every dtype is in the list.
const DTypeNames& NamesOf(DType dtype) {
  return *std::find_if(std::begin(kDTypeNames), std::end(kDTypeNames),
                       [&](const DTypeNames& names) { return names.dtype == dtype; });
}

std::vector<int32_t> ToInt32(const std::vector<int64_t>& numbers) { return {numbers.begin(), numbers.end()}; }

}  // namespace

absl::Status WriteSeededSafetensors(const CatalogEntry& entry, const std::string& path, absl::string_view renamed) {
  ASSIGN_OR_RETURN(const Checkpoint checkpoint, SeededCheckpoint(entry));
  nlohmann::ordered_json header;
  int64_t offset = 0;
  for (const CheckpointTensor& tensor : checkpoint.state_dicts().front().tensors) {
    const int64_t size = checkpoint.storages()[tensor.storage].bytes.size();
    header[tensor.key == renamed ? tensor.key + "_" : tensor.key] = {
        {"dtype", std::string(NamesOf(tensor.dtype).safetensors)},
        {"shape", tensor.shape},
        {"data_offsets", {offset, offset + size}}};
    offset += size;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const uint64_t length = text.size();
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(&length), sizeof(length));
  file << text;
  for (const CheckpointTensor& tensor : checkpoint.state_dicts().front().tensors) {
    file << checkpoint.storages()[tensor.storage].bytes;
  }
  file.close();
  return file ? absl::OkStatus() : absl::ResourceExhaustedError(absl::StrCat(path, ": cannot be written"));
}

absl::Status WriteSeededTorchZip(const CatalogEntry& entry, const std::string& path) {
  ASSIGN_OR_RETURN(const Checkpoint checkpoint, SeededCheckpoint(entry));
  const std::vector<CheckpointTensor>& tensors = checkpoint.state_dicts().front().tensors;
  std::vector<std::pair<std::string, std::string>> entries;
  for (const CheckpointTensor& tensor : tensors) {
    const int32_t elements = *ElementCount(tensor.shape);
    entries.emplace_back(PickleString(tensor.key), PickleTensor(PickleStorage(NamesOf(tensor.dtype).storage,
                                                                              absl::StrCat(entries.size()), elements),
                                                                0, ToInt32(tensor.shape), ToInt32(tensor.strides)));
  }
  const std::string pickle = Pickled(PickleDict(entries));
  caffe2::serialize::PyTorchStreamWriter writer(path);
  writer.writeRecord("data.pkl", pickle.data(), pickle.size());
  writer.writeRecord("byteorder", "little", 6);
  for (size_t i = 0; i < tensors.size(); ++i) {
    const absl::string_view bytes = checkpoint.storages()[tensors[i].storage].bytes;
    writer.writeRecord(absl::StrCat("data/", i), bytes.data(), bytes.size());
  }
  writer.writeEndOfFile();
  return absl::OkStatus();
}

}  // namespace modelport
