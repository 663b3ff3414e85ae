// A strict view of a YAML file: every value knows its file, line and column, duplicate keys are errors, and what nobody
// takes is an error. All problems of a file are collected, not just the first. yaml-cpp stays behind this header; no
// exception passes it.
#ifndef MODELPORT_COMMON_YAML_DOCUMENT_H_
#define MODELPORT_COMMON_YAML_DOCUMENT_H_

#include <string>

namespace modelport {

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

}  // namespace modelport

#endif  // MODELPORT_COMMON_YAML_DOCUMENT_H_
