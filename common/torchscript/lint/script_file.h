#ifndef MODELPORT_COMMON_TORCHSCRIPT_LINT_SCRIPT_FILE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_LINT_SCRIPT_FILE_H_

#include <torch/csrc/jit/api/module.h>

#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/sandbox/run_confined.h"
#include "common/torchscript/runtime/runtime.h"

namespace modelport {

struct ScriptFile {
  torch::jit::Module module;  // All its tensors are on the CPU.
  ArchiveFormat format;
};

// Loads an untrusted TorchScript file with the content `bytes` in a process that RunConfined made, because loading may
// run code of the file. It returns the errors of LintFile, without the path.
absl::StatusOr<ScriptFile> ReadScriptFile(absl::string_view bytes);

// Loads an untrusted TorchScript file with the content `bytes` in this process, after a confined child process has
// loaded it: a file whose code loading would run is refused, and no code of the file runs here before all operators
// that it calls are known to reach no files and no other processes. Call this before the process starts threads. It
// returns the errors of LintFile, without the path.
absl::StatusOr<ScriptFile> LoadForeignScript(absl::string_view bytes);

// What a confined process may use that loads a TorchScript file of `file_size` bytes: `least_time` of processor time
// and 100 ns for each byte.
ConfinedLimits LimitsForScript(size_t file_size, absl::Duration least_time);

// The error of a confined process that loaded a TorchScript file, as one of the file.
absl::Status ErrorOfScript(const absl::Status& status);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_LINT_SCRIPT_FILE_H_
