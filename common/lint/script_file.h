#ifndef MODELPORT_COMMON_LINT_SCRIPT_FILE_H_
#define MODELPORT_COMMON_LINT_SCRIPT_FILE_H_

#include <torch/csrc/jit/api/module.h>

#include <string>

#include "absl/status/statusor.h"
#include "common/artifact/archive_format.h"

namespace modelport {

struct ScriptFile {
  torch::jit::Module module;  // Its tensors are on the CPU, wherever they were saved.
  ArchiveFormat format;
};

// Loads the TorchScript file `path`, whoever made it.
//   NotFound, PermissionDenied, Unavailable   as the system reports
//   InvalidArgument                           a file of another kind; the message says which
//   DataLoss                                  truncated or damaged, or LibTorch cannot load it
absl::StatusOr<ScriptFile> OpenScriptFile(const std::string& path);

}  // namespace modelport

#endif  // MODELPORT_COMMON_LINT_SCRIPT_FILE_H_
