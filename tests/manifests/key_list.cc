#include "tests/manifests/key_list.h"

#include <filesystem>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "tests/support/case_table.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

SeededKey KeyOf(const std::string& line) {
  const std::vector<std::string> words = absl::StrSplit(line, ' ');
  Shape shape;
  for (const absl::string_view size : absl::StrSplit(words.size() > 2 ? words[2] : "", ',', absl::SkipEmpty())) {
    shape.push_back(std::stoll(std::string(size)));
  }
  return {words[0], shape, ParseDType(words.at(1)).value()};
}

// Lines of keys that stand for each number in the place of {i}.
struct Repeat {
  int first = 0;
  int last = 0;
  std::vector<std::string> lines = {};
};

void AddKey(absl::string_view line, KeyList& list) {
  const bool is_unused = absl::ConsumePrefix(&line, "unused ");
  (is_unused ? list.unused : list.keys).push_back(KeyOf(std::string(line)));
}

void AddKeys(const Repeat& repeat, KeyList& list) {
  for (int i = repeat.first; i <= repeat.last; ++i) {
    for (const std::string& line : repeat.lines) AddKey(absl::StrReplaceAll(line, {{"{i}", absl::StrCat(i)}}), list);
  }
}

}  // namespace

std::map<std::string, std::string> KeyLists(const std::string& folder) {
  std::map<std::string, std::string> paths;
  for (const std::string& lists : FamilyFiles(folder)) {
    for (const fs::directory_entry& list : fs::directory_iterator(lists)) {
      if (list.path().extension() == ".txt") paths[list.path().stem()] = list.path();
    }
  }
  return paths;
}

KeyList ReadKeyList(const std::string& path) {
  std::ifstream stream(path);
  KeyList list;
  Repeat repeat;
  for (std::string line; std::getline(stream, line);) {
    if (absl::StartsWith(line, "  ")) {
      repeat.lines.push_back(line.substr(2));
      continue;
    }
    if (absl::StartsWith(line, "#")) continue;
    AddKeys(repeat, list);
    repeat = {};
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    if (words[0] == "file") {
      list.file = words.at(1);
    } else if (words[0] == "as") {
      const std::string file = list.file;
      list = ReadKeyList(fs::path(path).replace_filename(words.at(1) + ".txt"));
      list.file = file;
    } else if (words[0] == "parameters") {
      list.parameters = std::stoll(words.at(1));
    } else if (words[0] == "order") {
      list.has_other_order = words.at(1) == "other";
    } else if (words[0] == "models") {
      list.models.assign(words.begin() + 1, words.end());
    } else if (words[0] == "layout") {
      list.layout = words.at(1);
    } else if (words[0] == "pairs") {
      list.pairs = words.at(1);
    } else if (words[0] == "flags") {
      list.flags.emplace_back(absl::StripPrefix(line, "flags "));
    } else if (words[0] == "repeat") {
      repeat = {std::stoi(words.at(1)), std::stoi(words.at(2))};
    } else {
      AddKey(line, list);
    }
  }
  AddKeys(repeat, list);
  return list;
}

}  // namespace modelport
