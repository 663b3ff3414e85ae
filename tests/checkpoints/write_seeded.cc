// Writes a checkpoint with seeded weights of a list of its keys and shapes:
//
//   sha256 HEX
//   KEY SIZE,SIZE
//
// A .safetensors file is what safetensors' library writes: its digest must be the one of the list, which is that of the
// file that the library wrote. A .pth file has the same tensors, as torch.save lays them out.
#include <cstdint>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "common/checkpoint/safetensors_writer.h"
#include "common/checkpoint/seeded.h"
#include "common/checkpoint/testing/checkpoint_writer.h"
#include "common/checkpoint/testing/pickle_writer.h"
#include "common/digest/sha256.h"
#include "common/tensor/shape.h"

namespace modelport {
namespace {

struct SeededTensor {
  SafetensorsTensor header;
  std::string bytes;
};

Shape ParseShape(const std::string& text) {
  Shape shape;
  for (const auto size : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    int64_t number = 0;
    if (absl::SimpleAtoi(size, &number)) shape.push_back(number);
  }
  return shape;
}

std::vector<SeededTensor> ReadTensors(std::ifstream& lines) {
  std::vector<SeededTensor> tensors;
  for (std::string key, sizes; lines >> key >> sizes;) {
    const Shape shape = ParseShape(sizes);
    std::vector<float> values(ElementCount(shape).value_or(0));
    SeededWeights(key, shape, /*seed=*/0, absl::MakeSpan(values));
    tensors.push_back({{key, DType::kFloat32, shape},
                       std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float))});
  }
  return tensors;
}

std::string Safetensors(const std::vector<SeededTensor>& tensors) {
  std::vector<SafetensorsTensor> headers;
  std::string data;
  for (const SeededTensor& tensor : tensors) {
    headers.push_back(tensor.header);
    data.append(tensor.bytes);
  }
  return SafetensorsHeader(headers, {{"format", "pt"}}) + data;
}

std::string TorchZip(const std::vector<SeededTensor>& tensors) {
  std::vector<std::pair<std::string, std::string>> entries;
  std::vector<StorageData> storages;
  for (const auto& [header, bytes] : tensors) {
    const std::string storage = absl::StrCat(entries.size());
    const int32_t elements = static_cast<int32_t>(bytes.size() / sizeof(float));
    const std::vector<int32_t> shape(header.shape.begin(), header.shape.end());
    std::vector<int32_t> strides(shape.size(), 1);
    for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
    entries.emplace_back(PickleString(header.key),
                         PickleTensor(PickleStorage("FloatStorage", storage, elements), 0, shape, strides));
    storages.push_back({storage, elements, bytes});
  }
  return TorchZipFile(PickleDict(entries), storages);
}

int Write(const char* list, const char* out) {
  std::ifstream lines(list);
  std::string word, digest;
  lines >> word >> digest;
  const std::vector<SeededTensor> tensors = ReadTensors(lines);
  const bool is_torch = absl::EndsWith(out, ".pth");
  const std::string file = is_torch ? TorchZip(tensors) : Safetensors(tensors);
  if (const std::string made = Sha256Of(file); !is_torch && made != digest) {
    std::cerr << list << ": the file that was made has another sha256: " << made << "\n";
    return 1;
  }
  std::ofstream(out, std::ios::binary) << file;
  return 0;
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  if (argc == 3) return modelport::Write(argv[1], argv[2]);
  std::cerr << "usage: write_seeded LIST OUT\n";
  return 1;
}
