// Records the inputs and outputs of each operator while a module runs.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_PROOF_OPERATOR_TRACE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PROOF_OPERATOR_TRACE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/torchscript/script/graph_operators.h"

namespace modelport {

// One run of an operator. The digests are over dtypes, shapes, strides, plain values and every bit of the tensors.
struct OperatorRun {
  std::string name;  // "aten::conv2d".
  std::string call;  // "aten::conv2d(bfloat16 [1, 8, 3, 2], bfloat16 [8, 8, 3, 3], None, [2, 2], [1, 1])".
  uint64_t input_digest = 0;
  uint64_t output_digest = 0;
  bool is_random = false;        // It draws random numbers, such as aten::rand_like.
  bool makes_nonfinite = false;  // Has NaN or infinite values in an output and none in an input.
  SourceLine line = {};          // Of the TorchScript code that calls it, if it makes_nonfinite.
};

// Calls `function` and returns the operators that this thread ran meanwhile, in the order in which they ended: an
// operator comes after those that it calls. Operators that return uninitialised memory, such as aten::empty, are left
// out.
std::vector<OperatorRun> TraceOperators(const std::function<void()>& function);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PROOF_OPERATOR_TRACE_H_
