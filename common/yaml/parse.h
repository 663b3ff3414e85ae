#ifndef MODELPORT_COMMON_YAML_PARSE_H_
#define MODELPORT_COMMON_YAML_PARSE_H_

#include "common/yaml/document.h"
#include "common/yaml/problems.h"

namespace modelport {

// The value of `file`'s only document; kNothing if it is empty, kInvalid if it is no YAML at all. Whatever breaks the
// strict subset is added to `problems`; of a duplicate field the first is kept. Text is UTF-8 of at most kMaxYamlSize
// bytes, without control characters but line ends and tabs, and nests at most 50 lists and maps.
YamlValue ParseYaml(const YamlFile& file, YamlProblems* problems);

}  // namespace modelport

#endif  // MODELPORT_COMMON_YAML_PARSE_H_
