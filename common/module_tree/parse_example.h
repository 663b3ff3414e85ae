#ifndef MODELPORT_COMMON_MODULE_TREE_PARSE_EXAMPLE_H_
#define MODELPORT_COMMON_MODULE_TREE_PARSE_EXAMPLE_H_

#include "common/expression/expression.h"
#include "common/yaml/document.h"
#include "common/yaml/problems.h"

namespace modelport {

// Parses a call that a round trip makes: forward([1, 3, 28, 42]). Its arguments are values, by position; their types
// are checked when the model is built. What is wrong with it is added to `problems`.
Call ParseExample(const YamlValue& value, YamlProblems* problems);

}  // namespace modelport

#endif  // MODELPORT_COMMON_MODULE_TREE_PARSE_EXAMPLE_H_
