#ifndef MODELPORT_COMMON_TORCHSCRIPT_LINT_SCRIPT_FILE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_LINT_SCRIPT_FILE_H_

#include <torch/csrc/jit/api/module.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/torchscript/runtime/runtime.h"

namespace modelport {

struct ScriptFile {
  torch::jit::Module module;  // All its tensors are on the CPU.
  ArchiveFormat format;
};

// Checks by its beginning that a file with the content `bytes` may be a TorchScript file. Runs none of its code.
//   InvalidArgument   another kind of file; the message says which
absl::Status CheckScriptFile(absl::string_view bytes);

// Loads an untrusted TorchScript file with the content `bytes`. This runs code in the file: call it within RunConfined
// unless the user trusts the file. It returns the errors of LintFile, without the path.
absl::StatusOr<ScriptFile> ReadScriptFile(absl::string_view bytes);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_LINT_SCRIPT_FILE_H_
