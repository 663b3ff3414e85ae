#include "tests/manifests/key_list.h"

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

// Adds the keys of a line "KEY DTYPE SIZE,SIZE,..."; "{0..11}" in the key stands for each of these numbers.
void AddKeys(const std::vector<std::string>& words, std::vector<SeededKey>& keys) {
  const DType dtype = ParseDType(words.at(1)).value();
  Shape shape;
  for (const absl::string_view size : absl::StrSplit(words.size() > 2 ? words[2] : "", ',', absl::SkipEmpty())) {
    shape.push_back(std::stoll(std::string(size)));
  }
  const size_t open = words[0].find("{0.."), close = words[0].find('}');
  if (open == std::string::npos) return keys.push_back({words[0], shape, dtype});
  const int last = std::stoi(words[0].substr(open + 4));
  for (int i = 0; i <= last; ++i) {
    keys.push_back({absl::StrCat(words[0].substr(0, open), i, words[0].substr(close + 1)), shape, dtype});
  }
}

}  // namespace

std::map<std::string, std::string> KeyLists(const std::string& folder) {
  std::map<std::string, std::string> paths;
  for (const fs::directory_entry& family : fs::directory_iterator("models")) {
    const fs::path lists = family.path() / "testdata" / folder;
    if (!fs::exists(lists)) continue;
    for (const fs::directory_entry& list : fs::directory_iterator(lists)) {
      if (list.path().extension() == ".txt") paths[list.path().stem()] = list.path();
    }
  }
  return paths;
}

KeyList ReadKeyList(const std::string& path) {
  std::ifstream stream(path);
  KeyList list;
  for (std::string line; std::getline(stream, line);) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    if (words[0] == "file") {
      list.file = words.at(1);
    } else if (words[0] == "parameters") {
      list.parameters = std::stoll(words.at(1));
    } else if (words[0] == "order") {
      list.has_other_order = words.at(1) == "other";
    } else if (words[0] == "models") {
      list.models.assign(words.begin() + 1, words.end());
    } else if (words[0] == "layout") {
      list.layout = words.at(1);
    } else {
      AddKeys(words, list.keys);
    }
  }
  return list;
}

}  // namespace modelport
