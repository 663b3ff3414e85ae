// A YAML file as a tree of values, each with its place. The strict subset: one document, no duplicate field names, no
// anchors, aliases, merge keys or tags. What a value means is up to its reader (map_reader.h): "yes" and "010" are text
// here. yaml-cpp stays behind this header; no exception passes it.
#ifndef MODELPORT_COMMON_YAML_DOCUMENT_H_
#define MODELPORT_COMMON_YAML_DOCUMENT_H_

#include <cstddef>
#include <string>
#include <vector>

namespace modelport {

// The largest YAML file in bytes: fifty times the largest of the catalog.
inline constexpr size_t kMaxYamlSize = size_t{1} << 20;

// A YAML text and its name for messages, such as "models/dinov2/modules.yaml".
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

// "models/dinov2/modules.yaml:41:5".
std::string MarkString(const YamlMark& mark);

struct YamlValue {
  // kInvalid is what could not be parsed. That is reported, so readers add nothing.
  enum class Kind { kNothing, kText, kList, kMap, kInvalid };
  struct Field;

  Kind kind = Kind::kNothing;
  YamlMark mark;
  std::string text;              // Of kText: without quotes or indentation.
  bool plain = false;            // Of kText: written without quotes, on one line.
  int block_line = 0;            // Of kText written as a "|" block: the line of its first line of text; else 0.
  std::vector<YamlValue> items;  // Of kList.
  std::vector<Field> fields;     // Of kMap, in file order; names are unique.
};

struct YamlValue::Field {
  std::string name;
  YamlMark mark;
  YamlValue value;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_YAML_DOCUMENT_H_
