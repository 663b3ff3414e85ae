// Loads untrusted TorchScript files, and refuses code that reaches files or other processes or runs while it is loaded.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_SCRIPT_FILE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_SCRIPT_FILE_H_

#include <cstddef>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/sandbox/run_confined.h"
#include "common/torchscript/archive/script_archive.h"
#include "common/torchscript/runtime/runtime.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// The effect of the operator `name`, such as "aten::save", outside of the process: "writes files". Empty if it has
// none, like almost all operators.
absl::string_view OutsideEffect(absl::string_view name);

// Refuses an archive whose code LibTorch would run to load it: one that defines the method __setstate__, or
// __getstate__, which comes with it. It only reads the tokens of the code and runs nothing.
//   FailedPrecondition   "code/__torch__.py:12: defines __setstate__, which runs while the file is loaded"
//   DataLoss             the code is not TorchScript
absl::Status CheckLoadingRunsNothing(const ScriptArchive& archive);

// Refuses a module whose compiled code calls such an operator or uses such a class. It may throw what LibTorch throws.
//   FailedPrecondition   "code/__torch__.py:12: calls aten::save, which writes files"
absl::Status CheckNoOutsideCalls(const torch::jit::Module& module);

struct ScriptFile {
  std::shared_ptr<torch::jit::Module> module;  // Never null. All its tensors are on the CPU.
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

#endif  // MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_SCRIPT_FILE_H_
