#ifndef MODELPORT_COMMON_YAML_PARSE_H_
#define MODELPORT_COMMON_YAML_PARSE_H_

#include "common/yaml/document.h"
#include "common/yaml/problems.h"

namespace modelport {

// The value of the only document of `file`; kNothing if the file is empty, kInvalid if it is not YAML. Everything that
// is not in the strict subset (document.h) is added to `problems`. Of duplicate fields the first is kept. A valid file
// is UTF-8 of at most kMaxYamlSize bytes, has no control characters except line ends and tabs, and nests at most 50
// lists and maps.
YamlValue ParseYaml(const YamlFile& file, YamlProblems* problems);

}  // namespace modelport

#endif  // MODELPORT_COMMON_YAML_PARSE_H_
