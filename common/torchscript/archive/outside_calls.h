// The operators with which TorchScript code reaches files or other processes.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_OUTSIDE_CALLS_H_
#define MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_OUTSIDE_CALLS_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "common/torchscript/archive/script_archive.h"
#include "common/torchscript/runtime/operators.h"

namespace modelport {

// The effect of the operator `name`, such as "aten::save", outside of the process: "writes files". Empty if it has
// none, like almost all operators.
absl::string_view OutsideEffect(absl::string_view name);

// Refuses an archive whose code calls such an operator. It only reads the tokens of the code and runs nothing, so it
// refuses every name that may mean such an operator: `x.save(...)` is refused unless the archive's own code defines a
// method or function `save`.
//   FailedPrecondition   "code/__torch__.py:12: calls save, which writes files"
//   DataLoss             the code is not TorchScript
absl::Status CheckNoOutsideCalls(const ScriptArchive& archive);

// The same for the operators of a loaded module, which are known exactly.
absl::Status CheckNoOutsideCalls(const std::vector<Operator>& operators);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_ARCHIVE_OUTSIDE_CALLS_H_
