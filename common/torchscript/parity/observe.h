#ifndef MODELPORT_COMMON_TORCHSCRIPT_PARITY_OBSERVE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PARITY_OBSERVE_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/torchscript/parity/stage.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// A tensor that passes a point of a forward pass.
struct ObservedTensor {
  // As in a reference: StageName, or "output" and "output.depth" for the result of the outermost call, whose arguments
  // are not observed.
  std::string name = "";
  Stage stage = {};
  std::string caller = "";  // The path of the submodule whose code makes the call of `stage`.
  bool is_result = false;   // Of the outermost call.
};

// Gets each tensor and returns the one that passes in its place. A tensor that is kept must be cloned: the code that
// runs next may write to it.
using TensorObserver = absl::FunctionRef<at::Tensor(const ObservedTensor& point, const at::Tensor& tensor)>;

// Gets each call, a stage without an argument and an element, with its arguments before the code in it runs. Returns
// the tensor that takes the place of the call, which is then neither made nor observed; undefined if it is to be made.
// A call that returns no tensor is made in any case.
using CallObserver = absl::FunctionRef<at::Tensor(const Stage& call, const std::vector<c10::IValue>& arguments)>;

// Runs `method` of `module`. `observe` gets the tensors among the arguments and results of all calls of submodules'
// methods, in the order of execution: a call's arguments, what passes within it, its result. Neither the module nor its
// methods change: a copy of the graph is run. `inputs` may leave out arguments with a default. Calls of submodules that
// are not reached by attributes alone are not observed.
//   NotFound  no such method
//   Internal  the module fails
absl::StatusOr<c10::IValue> RunObserved(const torch::jit::Module& module, const std::string& method,
                                        const std::vector<c10::IValue>& inputs, TensorObserver observe);

// The same with `observe_call`.
absl::StatusOr<c10::IValue> RunObserved(const torch::jit::Module& module, const std::string& method,
                                        const std::vector<c10::IValue>& inputs, TensorObserver observe,
                                        CallObserver observe_call);

// Tensors with the names that they have in a reference.
using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

// The tensor of this name; null if there is none.
const at::Tensor* FindTensor(const NamedTensors& tensors, const std::string& name);

// Runs `method` of `module` and returns copies of the tensors that `wanted` accepts, in the order in which they pass
// (observe.h). Fails as RunObserved does.
absl::StatusOr<NamedTensors> CaptureTensors(const torch::jit::Module& module, const std::string& method,
                                            const std::vector<c10::IValue>& inputs,
                                            absl::FunctionRef<bool(const ObservedTensor& point)> wanted);

// A copy of `value` in which `map(element, tensor)` replaces each tensor. `element` says where the tensor is: "" if it
// is the value itself, "0" or "depth" by index or key in a list, tuple or dictionary, "0.depth" in one in another.
// Dictionaries whose keys are no strings, and values of other kinds, are returned as they are.
c10::IValue MapTensors(const c10::IValue& value,
                       absl::FunctionRef<at::Tensor(const std::string& element, const at::Tensor& tensor)> map);

// How many numbers the parameters and buffers of `module` and its submodules hold.
int64_t CountElements(const torch::jit::Module& module);

// A copy of `module` whose floating tensors have the dtype `type`, at every depth, but for submodules of whose paths
// `keeps` is true: these stay as they are, with all below them. The copy shares classes, methods and all other values
// with `module`, which does not change. May throw as LibTorch does.
torch::jit::Module TypedCopy(
    const torch::jit::Module& module, at::ScalarType type,
    absl::FunctionRef<bool(absl::string_view path)> keeps = [](absl::string_view) { return false; });

// `values` with all floating tensors in the dtype `type`, those in lists, tuples and dictionaries too.
std::vector<c10::IValue> TypedCopy(const std::vector<c10::IValue>& values, at::ScalarType type);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PARITY_OBSERVE_H_
