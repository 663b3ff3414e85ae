#ifndef MODELPORT_TOOLS_PARITY_CHECK_FIND_NONFINITE_H_
#define MODELPORT_TOOLS_PARITY_CHECK_FIND_NONFINITE_H_

#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "common/torchscript/proof/operator_trace.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// Calls `method` of `module` and returns the first operator that makes a NaN or an infinity of finite inputs; nullopt
// if none does.
//   NotFound  no such method
//   Internal  the module fails
absl::StatusOr<absl::optional<OperatorRun>> FindNonfiniteOperator(const torch::jit::Module& module,
                                                                  const std::string& method,
                                                                  const std::vector<c10::IValue>& inputs);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PARITY_CHECK_FIND_NONFINITE_H_
