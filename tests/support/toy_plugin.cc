#include "tests/support/toy_plugin.h"

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/checkpoint/safetensors_writer.h"
#include "common/tensor/dtype.h"

namespace modelport {

std::string WriteToyPlugin(const std::string& folder, const std::string& layouts, const std::string& parameters) {
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/plugin.yaml") << R"yaml(family: toy
summary: two vectors
upstream: {source: "https://example.org/toy", commit: none, licence: NOASSERTION}
preprocessing: {mean: [0, 0, 0], std: [1, 1, 1]}
examples: ["forward([1, 2])"]
variants: {toy: {summary: two vectors, module: Toy(), file: toy.pth, licence: MIT, published: false}}
)yaml";
  std::ofstream(folder + "/modules.yaml") << "modules:\n  Toy():\n    parameters: {" << parameters
                                          << "}\n    methods: |\n      def forward(self, x: Tensor) -> Tensor:\n"
                                          << "        return x * self.a + self.b\n";
  std::ofstream(folder + "/keymap.yaml") << "layouts:\n" << layouts;
  return "--plugin_path=" + folder;
}

std::string ToyFile(const std::vector<std::string>& keys) {
  std::vector<SafetensorsTensor> tensors;
  std::string elements;
  for (const std::string& key : keys) {
    absl::StrAppend(&elements, absl::StrFormat("number%02d", tensors.size()));
    tensors.push_back({key, DType::kFloat32, {2}});
  }
  return SafetensorsHeader(tensors, {}) + elements;
}

}  // namespace modelport
