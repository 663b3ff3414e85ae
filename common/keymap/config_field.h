#ifndef MODELPORT_COMMON_KEYMAP_CONFIG_FIELD_H_
#define MODELPORT_COMMON_KEYMAP_CONFIG_FIELD_H_

#include <string>
#include <vector>

#include "common/yaml/document.h"
#include "common/yaml/map_reader.h"
#include "common/yaml/problems.h"

namespace modelport {

// A field of a config.json and its value.
struct ConfigField {
  std::string name;   // Its dotted path, "backbone_config.out_indices".
  std::string value;  // As ModelConfig::Find returns it: "metric", "20", "[3, 6, 9, 12]".
  YamlMark mark;
};

// Takes the field `config` of a map, {depth_estimation_type: metric, max_depth: 20}; empty if it is absent.
std::vector<ConfigField> TakeConfig(YamlMapReader* reader, YamlProblems* problems);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_CONFIG_FIELD_H_
