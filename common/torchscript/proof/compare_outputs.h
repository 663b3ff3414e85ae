// Runs example calls of a module's methods, on seeded inputs, compares what two modules compute, and finds kernels
// whose outputs differ for equal inputs, to tell a processor's faults from a module's.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_PROOF_COMPARE_OUTPUTS_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PROOF_COMPARE_OUTPUTS_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/expression/expression.h"
#include "common/torchscript/proof/operator_trace.h"
#include "common/torchscript/proof/proof_result.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// The arguments of an example call such as get_intermediate_layers([2, 3, 42, 28], [0, 1], true, true, true) of a
// method of `module`. A list given for a Tensor argument is the shape of a tensor that is filled with seeded values in
// [-1, 1), of the dtype of the module's parameters.
//   InvalidArgument  no such method, or arguments that do not fit it; a shape with a negative size or of more than
//                    100,000,000 elements
absl::StatusOr<std::vector<c10::IValue>> ExampleInputs(const torch::jit::Module& module, const Call& call);

// The result of an example call. What it gives by name are knobs, integers or floats that `module` has as attributes:
// forward([1, 3, 28, 28], side=64). They are set for this call alone.
//   InvalidArgument    as ExampleInputs, no such knob, or the call fails; names the call
//   ResourceExhausted  memory ran out
absl::StatusOr<c10::IValue> RunExample(const torch::jit::Module& module, const Call& call);

// The results of `examples`, in their order. LibTorch does not optimise the graphs and uses only the calling thread;
// the setting of one thread stays after the call.
//   FailedPrecondition  a call changes a tensor that it is given
//   others              as RunExample
absl::StatusOr<std::vector<c10::IValue>> RunExamples(const torch::jit::Module& module,
                                                     const std::vector<Call>& examples);

// True if two tensors agree in dtype, shape and every bit of their elements. NaNs compare by their bits. False for
// tensors that are not dense, quantized or not on the CPU.
bool BitwiseEqual(const at::Tensor& a, const at::Tensor& b);

// How far two outputs are apart.
struct Difference {
  double max_abs = 0;  // Largest absolute difference of two elements.
  // Largest, over all tensors, of max_abs / (largest - smallest element of the expected tensor), or of max_abs / largest
  // |element| where all elements are equal or the tensor has at most one dimension: one number an image.
  double relative = 0;

  // Sets each field to the larger of both.
  void Include(const Difference& other);
};

// Compares two outputs: dense tensors on the CPU, or tuples, lists and dictionaries of them, floats, and values that
// must be equal: integers, bools, texts, None. Says where, starting from `name` ("forward(...)[2]["depth"]").
//   DataLoss       they differ in structure, dtype, shape or NaNs, or in a value that must be equal
//   Unimplemented  a value of another kind is among them: a sparse, quantized or nested tensor, a tensor on another
//                  device, an object, a dictionary whose keys are tensors
absl::StatusOr<Difference> CompareValues(const c10::IValue& expected, const c10::IValue& actual,
                                         absl::string_view name);

// The distance from 1 to the next number of the floating dtype `type`: what one rounding is to a number of this size.
inline double Epsilon(at::ScalarType type) {
  if (type == at::kBFloat16) return 0x1p-7;
  if (type == at::kHalf) return 0x1p-10;
  return type == at::kDouble ? 0x1p-52 : 0x1p-23;
}

// Outputs may differ by this fraction of their range: some kernels round differently where their input's memory is
// aligned differently. Outputs that differ by more must be bitwise equal when both modules run on the same tensors.
inline constexpr double kAlignmentTolerance = 1e-6;

struct ComparedOutputs {
  std::vector<ComparedOutput> outputs;  // One for each example.
  std::string kernel_fault;             // As RoundTrip has it.
};

// Compares the outputs of `examples`: `expected_outputs` of the module `expected`, and `outputs` of `actual`, a module
// with equal tensors. Both modules may be run again. If outputs differ, the modules are run and compared once more
// without oneDNN, whose kernels may give other outputs for equal inputs. `allow_nonfinite` accepts outputs that are NaN
// or infinite in both.
//   DataLoss            names the first output that differs
//   FailedPrecondition  outputs agree and are not finite
//   InvalidArgument     the modules draw random numbers
//   Unavailable         a kernel gives other outputs for equal inputs even without oneDNN, so that nothing can be said
//                       about `actual`
absl::StatusOr<ComparedOutputs> CompareOutputs(const torch::jit::Module& expected, const torch::jit::Module& actual,
                                               const std::vector<Call>& examples,
                                               const std::vector<c10::IValue>& expected_outputs,
                                               const std::vector<c10::IValue>& outputs, bool allow_nonfinite);

// The largest magnitude of the finite elements of all tensors in `output`; 0 if there is none.
double LargestMagnitude(const c10::IValue& output);

// A tensor among a call's outputs that has NaN or infinite elements.
struct NonfiniteOutput {
  std::string name;  // "forward([1, 3, 28, 28])[depth]".
  int64_t elements = 0;
  int64_t nan = 0;
  int64_t infinite = 0;
};

// The tensors in `output` that have NaN or infinite elements; `output` is a tensor, or tuples, lists and dictionaries
// of tensors. Names start with `name`.
std::vector<NonfiniteOutput> FindNonfinite(const c10::IValue& output, const std::string& name);

// Runs the example `call` of `module` a few times and returns the first operator whose outputs differed though its
// inputs were bitwise equal, the innermost one if operators call others; nullopt if there was none.
//   others  as RunExamples
absl::StatusOr<absl::optional<OperatorRun>> FindUnstableOperator(const torch::jit::Module& module, const Call& call);

// While an object of this class exists, LibTorch uses its own, slower kernels instead of oneDNN's, in all threads.
class WithoutOneDnn {
 public:
  WithoutOneDnn();
  ~WithoutOneDnn();
  WithoutOneDnn(const WithoutOneDnn&) = delete;
  WithoutOneDnn& operator=(const WithoutOneDnn&) = delete;

 private:
  const bool was_enabled_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PROOF_COMPARE_OUTPUTS_H_
