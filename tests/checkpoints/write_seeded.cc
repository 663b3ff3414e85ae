// Writes a checkpoint with seeded weights, as safetensors' library writes it, of a list of its keys and shapes:
//
//   sha256 HEX
//   KEY SIZE,SIZE
//
// Ends with an error unless the file has the digest, which is that of the file that the library wrote.
#include <cstdint>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "common/checkpoint/safetensors_writer.h"
#include "common/checkpoint/seeded.h"
#include "common/digest/sha256.h"
#include "common/tensor/shape.h"

namespace modelport {
namespace {

Shape ParseShape(const std::string& text) {
  Shape shape;
  for (const auto size : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    int64_t number = 0;
    if (absl::SimpleAtoi(size, &number)) shape.push_back(number);
  }
  return shape;
}

int Write(const char* list, const char* out) {
  std::ifstream lines(list);
  std::string word, digest, data;
  lines >> word >> digest;
  std::vector<SafetensorsTensor> tensors;
  for (std::string key, sizes; lines >> key >> sizes;) {
    const Shape shape = ParseShape(sizes);
    std::vector<float> values(ElementCount(shape).value_or(0));
    SeededWeights(key, shape, /*seed=*/0, absl::MakeSpan(values));
    data.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    tensors.push_back({key, DType::kFloat32, shape});
  }
  const std::string file = SafetensorsHeader(tensors, {{"format", "pt"}}) + data;
  if (const std::string made = Sha256Of(file); made != digest) {
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
