// The round trip: an artifact is loaded back from its file and compared with the module that was saved.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_PROOF_ROUND_TRIP_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PROOF_ROUND_TRIP_H_

#include <ATen/core/ivalue.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/expression/expression.h"
#include "common/module_tree/entry_point.h"
#include "common/torchscript/proof/proof_result.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// The methods of `module` as text, "forward(Tensor x) -> Tensor", sorted. Class names are left out, since loading may
// change them.
std::vector<std::string> MethodSchemas(const torch::jit::Module& module);

// Compares every tensor, attribute and method schema of two modules, and the outputs of `examples`, which must also be
// what `entry_points` states; `expected_outputs` are the outputs of `expected`.
//   DataLoss  names the first difference
//   others    as CompareOutputs, which `allow_nonfinite` is passed to, and CheckResult
absl::StatusOr<RoundTrip> CompareModules(const torch::jit::Module& expected, const torch::jit::Module& actual,
                                         const std::vector<Call>& examples, const std::vector<EntryPoint>& entry_points,
                                         const std::vector<c10::IValue>& expected_outputs,
                                         bool allow_nonfinite = false);

// Loads the file `path` and compares it with `module`, which was saved there. While the file is loaded, the examples of
// `module` run on another thread. `on_bytes` is passed to LoadModule. Fails as LoadModule and CompareModules do.
absl::StatusOr<RoundTrip> ProveRoundTrip(
    const torch::jit::Module& module, const std::string& path, const std::vector<Call>& examples,
    const std::vector<EntryPoint>& entry_points, bool allow_nonfinite = false,
    const std::function<void(int64_t)>& on_bytes = [](int64_t) {});

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PROOF_ROUND_TRIP_H_
