// The operators by which TorchScript code reaches beyond the memory of the process that runs it.
#ifndef MODELPORT_COMMON_ARCHIVE_OUTSIDE_CALLS_H_
#define MODELPORT_COMMON_ARCHIVE_OUTSIDE_CALLS_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "common/archive/script_archive.h"
#include "common/runtime/operators.h"

namespace modelport {

// What the operator `name`, such as "aten::save", does outside of the process: "writes files". Empty if it does nothing
// there, as almost all do.
absl::string_view OutsideEffect(absl::string_view name);

// Refuses an archive whose code calls such an operator. It reads the code's tokens and runs nothing, and so takes a
// name for what it may mean: `x.save(...)` is refused unless the archive's own code defines a method or function
// `save`.
//   FailedPrecondition   "code/__torch__.py:12: calls save, which writes files"
//   DataLoss             the code is no TorchScript
absl::Status CheckNoOutsideCalls(const ScriptArchive& archive);

// The same for the operators of a module that was loaded, which are known for certain.
absl::Status CheckNoOutsideCalls(const std::vector<Operator>& operators);

}  // namespace modelport

#endif  // MODELPORT_COMMON_ARCHIVE_OUTSIDE_CALLS_H_
