#ifndef MODELPORT_COMMON_TORCHSCRIPT_LINT_TYPE_SIZE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_LINT_TYPE_SIZE_H_

#include "absl/status/status.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// Refuses a module whose code has a value of a type that is too large to print. LibTorch shares equal parts of nested
// tuple types, so such a type may have more parts than fit into memory when it is printed. A class counts as one part.
//   ResourceExhausted   "code/__torch__.py:12: a type has more than 1000 parts"
absl::Status CheckTypeSizes(const torch::jit::Module& module);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_LINT_TYPE_SIZE_H_
