// A YAML file as a tree of values, each with its place in the file. Only a strict subset of YAML is valid: one
// document, no duplicate field names, no anchors, aliases, merge keys or tags. The reader of a value decides on its
// type (map_reader.h), so "yes" and "010" are text here. Users of these types need neither yaml-cpp nor its exceptions.
#ifndef MODELPORT_COMMON_YAML_DOCUMENT_H_
#define MODELPORT_COMMON_YAML_DOCUMENT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace modelport {

// The largest YAML file in bytes: fifty times the largest of the catalog.
inline constexpr size_t kMaxYamlSize = size_t{1} << 20;

// A YAML text and its name for messages, such as "models/family/modules.yaml".
struct YamlFile {
  std::string path;
  std::string text;
};

// A place in a YAML file, 1-based.
struct YamlMark {
  std::string file;
  int line = 0;
  int column = 0;
};

// "models/family/modules.yaml:41:5".
inline std::string MarkString(const YamlMark& mark) {
  return absl::StrCat(mark.file, ":", mark.line, ":", mark.column);
}

struct YamlValue {
  // kInvalid is a value that could not be parsed. The parser has reported that, so readers do not report it again.
  enum class Kind { kNothing, kText, kList, kMap, kInvalid };
  struct Field;

  Kind kind = Kind::kNothing;
  YamlMark mark;
  std::string text;              // kText: without quotes or indentation.
  bool plain = false;            // kText: whether it is written without quotes, on one line.
  int block_line = 0;            // kText, if it is a "|" block: the number of its first line of text; else 0.
  std::vector<YamlValue> items;  // kList: the items.
  std::vector<Field> fields;     // kMap: in file order, with unique names.
};

struct YamlValue::Field {
  std::string name;
  YamlMark mark;
  YamlValue value;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_YAML_DOCUMENT_H_
