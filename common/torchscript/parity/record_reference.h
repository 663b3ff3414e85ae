#ifndef MODELPORT_COMMON_TORCHSCRIPT_PARITY_RECORD_REFERENCE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PARITY_RECORD_REFERENCE_H_

#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/torchscript/parity/reference.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// Calls `method` of `module` and makes a reference of it: the arguments, all that passes between its submodules, the
// result, and the settings of all modules. `path` and `model` become the reference's.
//   FailedPrecondition  the module fails on these inputs, or has no such method
absl::StatusOr<Reference> RecordReference(const torch::jit::Module& module, const std::string& method,
                                          const std::vector<c10::IValue>& inputs, const std::string& path,
                                          const std::string& model);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PARITY_RECORD_REFERENCE_H_
