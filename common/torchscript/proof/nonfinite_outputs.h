#ifndef MODELPORT_COMMON_TORCHSCRIPT_PROOF_NONFINITE_OUTPUTS_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PROOF_NONFINITE_OUTPUTS_H_

#include <ATen/core/ivalue.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace modelport {

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

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PROOF_NONFINITE_OUTPUTS_H_
