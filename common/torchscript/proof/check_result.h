// What an entry point returns, compared with what the plugin says of it.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_PROOF_CHECK_RESULT_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PROOF_CHECK_RESULT_H_

#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/module_tree/entry_point.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// Makes sure that `result`, which the entry point of `module` has for `inputs`, is what it states: keys, sizes, dtypes
// and ranges. A finite value may be out of range by 4 roundings of its dtype. `call` is the call's text.
//   InvalidArgument  names the line and the output that differ
absl::Status CheckResult(const torch::jit::Module& module, const EntryPoint& entry_point, const std::string& call,
                         const std::vector<c10::IValue>& inputs, const c10::IValue& result);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PROOF_CHECK_RESULT_H_
