// Compares what two modules compute.
#ifndef MODELPORT_COMMON_PROOF_COMPARE_OUTPUTS_H_
#define MODELPORT_COMMON_PROOF_COMPARE_OUTPUTS_H_

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/api/module.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/module_tree/expression.h"
#include "common/tensor/shape.h"

namespace modelport {

// Outputs may differ by this part of their range: some kernels round differently where their input's memory is aligned
// differently. Those that differ by more must be bitwise equal when both modules run on the same tensors.
inline constexpr double kAlignmentTolerance = 1e-6;

// How ComparedOutputs::kernel_fault ends.
inline constexpr char kFaultVerdict[] = " gives other outputs for equal inputs";

// A call whose outputs agreed.
struct ComparedOutput {
  std::string call;     // "forward([1, 3, 28, 42])"
  double max_abs = 0;   // 0: bitwise equal.
  double relative = 0;  // To the range of the output.
  Shape shape;          // Of an output that is a tensor.
  // Beyond kAlignmentTolerance, but bitwise equal when both modules run on the same tensors.
  bool equal_on_same_memory = false;
  int64_t nan = 0;  // Elements of all its tensors that are NaN, or infinite.
  int64_t infinite = 0;
};

struct ComparedOutputs {
  std::vector<ComparedOutput> outputs;  // One for each example.
  // Empty, or why the calls were made again without oneDNN: "aten::mkldnn_convolution(...) gives other outputs for
  // equal inputs".
  std::string kernel_fault;
};

// Compares the outputs of `examples`: `expected_outputs` are those of `expected`, `outputs` those of `actual`, a module
// of equal tensors, of which both may be run again. Where they differ and a kernel of oneDNN does not agree with
// itself, the modules are compared without oneDNN. `allow_nonfinite` lets outputs pass that are NaN or infinite in
// both.
//   DataLoss            names the first output that differs
//   FailedPrecondition  outputs agree and are not finite
//   InvalidArgument     the modules draw random numbers
//   Unavailable         a kernel of this machine does not agree with itself, without oneDNN either: nothing is known of
//                       `actual`
absl::StatusOr<ComparedOutputs> CompareOutputs(const torch::jit::Module& expected, const torch::jit::Module& actual,
                                               const std::vector<Call>& examples,
                                               const std::vector<c10::IValue>& expected_outputs,
                                               const std::vector<c10::IValue>& outputs, bool allow_nonfinite);

}  // namespace modelport

#endif  // MODELPORT_COMMON_PROOF_COMPARE_OUTPUTS_H_
