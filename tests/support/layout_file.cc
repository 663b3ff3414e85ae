#include "tests/support/layout_file.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "common/checkpoint/checkpoint.h"
#include "common/checkpoint/safetensors_writer.h"
#include "common/digest/sha256.h"
#include "tests/support/case_table.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

constexpr char kFolder[] = "tests/checkpoints/layouts/";

struct Tensor {
  SafetensorsTensor header;
  std::string bytes;
};

[[noreturn]] void Die(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}

std::vector<Tensor> ReadTensors(const std::string& path) {
  const absl::StatusOr<Checkpoint> file = OpenCheckpoint(path);
  if (!file.ok()) Die(file.status().ToString());
  std::vector<Tensor> tensors;
  for (const CheckpointTensor& tensor : file->state_dicts().front().tensors) {
    tensors.push_back({{tensor.key, tensor.dtype, tensor.shape}, RowMajorBytes(*file, tensor)});
  }
  return tensors;
}

std::string WriteTensors(std::vector<Tensor> tensors) {
  std::sort(tensors.begin(), tensors.end(),
            [](const Tensor& a, const Tensor& b) { return ComesBefore(a.header, b.header); });
  std::vector<SafetensorsTensor> headers;
  std::string data;
  for (const Tensor& tensor : tensors) {
    headers.push_back(tensor.header);
    data += tensor.bytes;
  }
  return SafetensorsHeader(headers, {{"format", "pt"}}) + data;
}

std::vector<std::string> Words(const std::string& text) { return absl::StrSplit(text, ' '); }

// Adds the first row of the tensor `table`, [1, N, C] of float32, to `token`, [1, 1, C], and takes it out of the table.
void FoldRow(const std::string& token, const std::string& table, std::vector<Tensor>& tensors) {
  const auto find = [&](const std::string& key) -> Tensor& {
    return *std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& one) { return one.header.key == key; });
  };
  Tensor& from = find(table);
  std::string& sum = find(token).bytes;
  for (size_t at = 0; at < sum.size(); at += sizeof(float)) {
    float value, added;
    std::memcpy(&value, &sum[at], sizeof(value));
    std::memcpy(&added, &from.bytes[at], sizeof(added));
    value += added;
    std::memcpy(&sum[at], &value, sizeof(value));
  }
  from.bytes.erase(0, sum.size());
  --from.header.shape[1];
}

// The tensors as the layout of `rules` has them.
std::vector<Tensor> InLayout(std::vector<Tensor> tensors, const Case& rules) {
  std::erase_if(tensors, [&](const Tensor& one) { return one.header.key == Text(rules, "omit"); });
  if (const std::string fold = Text(rules, "fold"); !fold.empty()) FoldRow(Words(fold)[0], Words(fold)[1], tensors);
  std::vector<Tensor> made;
  for (const Tensor& tensor : tensors) {
    std::string name = tensor.header.key;
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
      part.header.shape[0] /= parts;
      for (int64_t i = 0; i < parts; ++i) {
        part.header.key = absl::StrReplaceAll(name, {{words[0], words[1 + i]}});
        part.bytes = tensor.bytes.substr(i * size, size);
        made.push_back(part);
      }
    }
    if (!is_split) made.push_back({{name, tensor.header.dtype, tensor.header.shape}, tensor.bytes});
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
  const std::string file = WriteTensors(InLayout(ReadTensors(LayoutFile(Text(rules, "of"), model)), rules));
  if (Sha256Of(file) != StatedDigest(rules, model)) {
    Die(absl::StrCat(kFolder, "made.txt: layout ", layout, ": the file made for ", model,
                     " has another sha256: ", Sha256Of(file)));
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
    if (Text(rules, "layout") == layout && !StatedDigest(rules, model).empty()) return MakeFile(rules, layout, model);
  }
  Die(absl::StrCat(kFolder, "made.txt: lacks ", model, " in the layout ", layout));
}

}  // namespace modelport
