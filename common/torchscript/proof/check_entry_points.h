// What a plugin says of its entry points, compared with the module and with what its methods return.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_PROOF_CHECK_ENTRY_POINTS_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PROOF_CHECK_ENTRY_POINTS_H_

#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
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

// A tensor or another value that a method's result consists of, as the result's type tells it.
struct ResultPart {
  std::string place;  // "result", "result[1]", "result[i][0]" of a list's items.
  bool is_tensor = false;
};

// Whether `type` is Dict[str, Tensor], whose parts only a result tells.
bool IsTensorDict(const c10::Type& type);

// The parts of a result of `type`: of a tuple its elements; of a list of tensors or tuples the parts of any item; of
// any other type the result itself.
std::vector<ResultPart> PartsOf(const c10::Type& type);

// The values of each part in `result`, which is of `type`: one, or one for each item of a list.
std::vector<std::vector<c10::IValue>> SplitResult(const c10::IValue& result, const c10::Type& type);

// InvalidArgument: what the plugin says of `entry_point` at `place`, "modules.yaml:41:5", is not so.
inline absl::Status EntryPointError(absl::string_view place, const EntryPoint& entry_point, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat(place, ": entry point ", entry_point.method, ": ", message));
}

// Makes sure that `result`, which the entry point of `module` has for `inputs`, is what it states: keys, sizes, dtypes
// and ranges. A finite value may be out of range by 4 roundings of its dtype. `call` is the call's text.
//   InvalidArgument  names the line and the output that differ
absl::Status CheckResult(const torch::jit::Module& module, const EntryPoint& entry_point, const std::string& call,
                         const std::vector<c10::IValue>& inputs, const c10::IValue& result);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PROOF_CHECK_ENTRY_POINTS_H_
