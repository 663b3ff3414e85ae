// The operators with which TorchScript code reaches files or other processes.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_OUTSIDE_CALLS_H_
#define MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_OUTSIDE_CALLS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "common/torchscript/archive/script_archive.h"
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

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_OUTSIDE_CALLS_H_
