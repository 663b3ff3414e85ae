// The names of the classes and functions that Compiler makes from a plugin's text.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_CLASS_NAMES_H_
#define MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_CLASS_NAMES_H_

#include <string>

#include "absl/strings/string_view.h"

namespace modelport {

// Their namespace: the class of module type Conv2d is "__torch__.modelport.Conv2d".
inline constexpr char kClassNamespace[] = "__torch__.modelport";

// `text`, a message of LibTorch, with the names that the plugin has for its classes:
// "__torch__.modelport.Conv2d (of Python compilation unit at: 0x55...)" becomes "Conv2d".
std::string WithPluginNames(absl::string_view text);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_CLASS_NAMES_H_
