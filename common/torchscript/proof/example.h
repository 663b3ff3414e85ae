// Example calls of a module's methods, on seeded inputs.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_PROOF_EXAMPLE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PROOF_EXAMPLE_H_

#include <ATen/core/ivalue.h>

#include <vector>

#include "absl/status/statusor.h"
#include "common/expression/expression.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// The arguments of an example call such as get_intermediate_layers([2, 3, 42, 28], [0, 1], true, true, true) of a
// method of `module`. A list given for a Tensor argument is the shape of a tensor that is filled with seeded values in
// [-1, 1), of the dtype of the module's parameters.
//   InvalidArgument  no such method, or arguments that do not fit it; a shape with a negative size or of more than
//                    100,000,000 elements
absl::StatusOr<std::vector<c10::IValue>> ExampleInputs(const torch::jit::Module& module, const Call& call);

// The result of an example call.
//   InvalidArgument    as ExampleInputs, or the call fails; names the call
//   ResourceExhausted  memory ran out
absl::StatusOr<c10::IValue> RunExample(const torch::jit::Module& module, const Call& call);

// The results of `examples`, in their order. LibTorch does not optimise the graphs and uses only the calling thread;
// the setting of one thread stays after the call. Fails as RunExample does.
absl::StatusOr<std::vector<c10::IValue>> RunExamples(const torch::jit::Module& module,
                                                     const std::vector<Call>& examples);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PROOF_EXAMPLE_H_
