// What a plugin says of its entry points, compared with the module.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_PROOF_CHECK_ENTRY_POINTS_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PROOF_CHECK_ENTRY_POINTS_H_

#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/module_tree/entry_point.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// The place of each output in the result of a method of this type, such as result["depth"] or result[i][0].
// InvalidArgument: the outputs are not the parts of such a result.
absl::StatusOr<std::vector<std::string>> OutputPlaces(const EntryPoint& entry_point, const c10::Type& result);

// Makes sure that every entry point is a method of `module`, that its inputs are the method's arguments in their order,
// and that its outputs are the parts of the method's result.
//   InvalidArgument  names the line that differs
absl::Status CheckEntryPoints(const torch::jit::Module& module, const std::vector<EntryPoint>& entry_points);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PROOF_CHECK_ENTRY_POINTS_H_
