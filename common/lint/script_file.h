#ifndef MODELPORT_COMMON_LINT_SCRIPT_FILE_H_
#define MODELPORT_COMMON_LINT_SCRIPT_FILE_H_

#include <torch/csrc/jit/api/module.h>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/runtime/archive_format.h"

namespace modelport {

struct ScriptFile {
  torch::jit::Module module;  // Its tensors are on the CPU, wherever they were saved.
  ArchiveFormat format;
};

// Loads the TorchScript file that has these bytes, whoever made it. This runs code that the file holds: call it within
// RunConfined. Fails as LintFile says, but for the path.
absl::StatusOr<ScriptFile> ReadScriptFile(absl::string_view bytes);

}  // namespace modelport

#endif  // MODELPORT_COMMON_LINT_SCRIPT_FILE_H_
