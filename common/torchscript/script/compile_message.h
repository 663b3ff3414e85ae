// Turns the errors of LibTorch's compiler into messages about a plugin's text, with the plugin's names for the classes
// and functions that Compiler makes from it.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_COMPILE_MESSAGE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_COMPILE_MESSAGE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/module_tree/module_type.h"

namespace modelport {

// The names that a plugin's text can use.
struct KnownNames {
  std::vector<std::string> functions;  // Of the plugin, read so far.
  std::vector<std::string> operators;  // Of the namespace aten.
};

// The message for `error`, which LibTorch reported while `what` of `source` was compiled. Its first line has the place
// and the cause, with the plugin's names for classes. Below it follow the text with the place underlined and, if a call
// fits none of several signatures, these signatures.
//   modules.yaml:10: Net does not compile: torch.rellu is not available; nearest: torch.relu, torch.selu, torch.elu
//     def forward(self, x: Tensor) -> Tensor:
//       x = torch.rellu(x)
//           ~~~~~~~~~~~ <--- HERE
std::string CompileMessage(const SourceText& source, absl::string_view what, absl::string_view error,
                           const KnownNames& known);

// The namespace of these classes and functions: the class of module type Conv2d is "__torch__.modelport.Conv2d".
inline constexpr char kClassNamespace[] = "__torch__.modelport";

// `text`, a message of LibTorch, with the names that the plugin has for its classes:
// "__torch__.modelport.Conv2d (of Python compilation unit at: 0x55...)" becomes "Conv2d".
std::string WithPluginNames(absl::string_view text);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_COMPILE_MESSAGE_H_
