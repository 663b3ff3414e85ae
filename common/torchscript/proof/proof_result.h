// What proofs of an artifact found, without LibTorch's headers, for those who report it.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_PROOF_PROOF_RESULT_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PROOF_PROOF_RESULT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "common/tensor/shape.h"

namespace modelport {

// A call whose outputs agreed.
struct ComparedOutput {
  std::string call;     // "forward([1, 3, 28, 42])"
  double max_abs = 0;   // 0: bitwise equal, or within kAlignmentTolerance and bitwise equal on the same tensors.
  double relative = 0;  // To the range of the output.
  Shape shape = {};     // Of an output that is a tensor.
  // Beyond kAlignmentTolerance, but bitwise equal when both modules run on the same tensors.
  bool equal_on_same_memory = false;
  int64_t nan = 0;  // Elements of all its tensors that are NaN, or infinite.
  int64_t infinite = 0;
  double largest = 0;  // The largest magnitude of their finite elements.
};

// The end of every RoundTrip::kernel_fault.
inline constexpr char kFaultVerdict[] = " gives other outputs for equal inputs";

// What a successful round trip compared.
struct RoundTrip {
  int64_t tensors = 0;  // Bitwise equal.
  int64_t methods = 0;  // Of equal schemas.
  std::vector<ComparedOutput> outputs;
  // Why the calls were made again without oneDNN: "aten::mkldnn_convolution(...) gives other outputs for equal inputs".
  // Empty if they were not.
  std::string kernel_fault;
  std::string runtime = {};  // What ran a file of another format: "OpenVINO 2026.4.1".
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PROOF_PROOF_RESULT_H_
