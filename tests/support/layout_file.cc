#include "tests/support/layout_file.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "common/checkpoint/testing/checkpoint_writer.h"
#include "common/digest/sha256.h"
#include "nlohmann/json.hpp"
#include "tests/support/case_table.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr char kFolder[] = "tests/checkpoints/layouts/";

// A tensor of a safetensors file.
struct Tensor {
  std::string dtype;
  std::vector<int64_t> shape;
  std::string bytes;
};

// By key, in the order in which safetensors writes tensors of one dtype.
using Tensors = std::map<std::string, Tensor>;

Tensors ReadTensors(const std::string& file) {
  uint64_t size = 0;
  std::memcpy(&size, file.data(), sizeof(size));
  const Json header = Json::parse(file.substr(sizeof(size), size));
  const std::string data = file.substr(sizeof(size) + size);
  Tensors tensors;
  for (const auto& [key, entry] : header.items()) {
    if (key == "__metadata__") continue;
    const size_t begin = entry["data_offsets"][0], end = entry["data_offsets"][1];
    tensors[key] = {entry["dtype"], entry["shape"], data.substr(begin, end - begin)};
  }
  return tensors;
}

std::string WriteTensors(const Tensors& tensors) {
  Json header;
  header["__metadata__"]["format"] = "pt";
  std::string data;
  for (const auto& [key, tensor] : tensors) {
    const size_t begin = data.size();
    data += tensor.bytes;
    header[key] = {{"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {begin, data.size()}}};
  }
  std::string text = header.dump();
  // safetensors lets the data begin at a multiple of 8.
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return SafetensorsFile(text, data);
}

std::vector<std::string> Words(const std::string& text) { return absl::StrSplit(text, ' '); }

// The tensors as the layout of `rules` has them.
Tensors InLayout(const Tensors& tensors, const Case& rules) {
  Tensors made;
  for (const auto& [key, tensor] : tensors) {
    std::string name = key;
    for (const std::string& rule : Texts(rules, "rename")) {
      name = absl::StrReplaceAll(name, {{Words(rule)[0], Words(rule)[1]}});
    }
    bool is_split = false;
    for (const std::string& rule : Texts(rules, "split")) {
      const std::vector<std::string> words = Words(rule);
      if (!absl::StrContains(name, words[0])) continue;
      is_split = true;
      const int64_t parts = words.size() - 1, size = tensor.bytes.size() / parts;
      Tensor part = tensor;
      part.shape[0] /= parts;
      for (int64_t i = 0; i < parts; ++i) {
        part.bytes = tensor.bytes.substr(i * size, size);
        made[absl::StrReplaceAll(name, {{words[0], words[1 + i]}})] = part;
      }
    }
    if (!is_split) made[name] = tensor;
  }
  return made;
}

// The digest that made.txt states for the model.
std::string StatedDigest(const Case& rules, absl::string_view model) {
  for (const std::string& text : Texts(rules, "sha256")) {
    if (Words(text)[0] == model) return Words(text)[1];
  }
  return "";
}

std::string MakeFile(const Case& rules, absl::string_view layout, absl::string_view model) {
  const std::string file = WriteTensors(InLayout(ReadTensors(ReadFile(LayoutFile(Text(rules, "of"), model))), rules));
  if (Sha256Of(file) != StatedDigest(rules, model)) {
    std::fprintf(stderr, "%smade.txt: layout %s: the file made for %s has another sha256: %s\n", kFolder,
                 std::string(layout).c_str(), std::string(model).c_str(), Sha256Of(file).c_str());
    std::exit(1);
  }
  const fs::path folder = fs::path(std::getenv("TEST_TMPDIR")) / "made_layouts" / std::string(layout);
  fs::create_directories(folder);
  const std::string path = folder / absl::StrCat(model, ".safetensors");
  std::ofstream(path, std::ios::binary) << file;
  return path;
}

}  // namespace

std::string LayoutFile(absl::string_view layout, absl::string_view model) {
  if (layout == "original") return DataPath(absl::StrCat("tests/checkpoints/", model, ".safetensors"));
  for (const Case& rules : ReadCaseTable(absl::StrCat(kFolder, "made.txt"))) {
    if (Text(rules, "layout") == layout) return MakeFile(rules, layout, model);
  }
  return DataPath(absl::StrCat(kFolder, layout, "/", model, ".safetensors"));
}

}  // namespace modelport
