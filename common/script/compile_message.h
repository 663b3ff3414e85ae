// Puts what LibTorch's compiler says about a plugin's text in order.
#ifndef MODELPORT_COMMON_SCRIPT_COMPILE_MESSAGE_H_
#define MODELPORT_COMMON_SCRIPT_COMPILE_MESSAGE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/module_tree/module_type.h"

namespace modelport {

// What a plugin's text can name.
struct KnownNames {
  std::vector<std::string> functions;  // Of the plugin, compiled so far.
  std::vector<std::string> operators;  // Of the namespace aten.
};

// The message about `error`, LibTorch's text about `source`, where `what` is being compiled: place and cause, once, in
// the first line, without LibTorch's names of classes; then the text with the place underlined; then, if a call fits
// none of several signatures, those.
//   modules.yaml:10: BasicBlock does not compile: torch.rellu is not there; nearest: torch.relu, torch.selu, torch.elu
//     def forward(self, x: Tensor) -> Tensor:
//       x = torch.rellu(x)
//           ~~~~~~~~~~~ <--- HERE
std::string CompileMessage(const SourceText& source, absl::string_view what, absl::string_view error,
                           const KnownNames& known);

}  // namespace modelport

#endif  // MODELPORT_COMMON_SCRIPT_COMPILE_MESSAGE_H_
