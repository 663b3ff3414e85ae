#ifndef MODELPORT_TOOLS_PARITY_CHECK_PRECISION_H_
#define MODELPORT_TOOLS_PARITY_CHECK_PRECISION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/torchscript/parity/compare_reference.h"
#include "common/torchscript/parity/reference.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// What modules lose in float16 or bfloat16, `type`: how far the result of each is from that in float32, on the inputs
// that it gets in float32. First come the results of `module` itself, of which all submodules give what they give in
// float32: what is lost between them. Then the largest loss, as a part of the tensor's largest element, comes first.
// `reference` is what RecordReference made of `module`.
//   FailedPrecondition  the module does not run in this dtype
absl::StatusOr<std::vector<ComparedTensor>> FindLosses(const torch::jit::Module& module, const Reference& reference,
                                                       at::ScalarType type);

// Which submodules compute in float32 while all others compute in another dtype.
struct MixedPrecision {
  std::vector<std::string> kept;  // Their paths, those that lose most first.
  double error = 0;               // Of the outputs: the largest difference as a part of the largest element.
  int64_t kept_elements = 0;      // Of parameters and buffers, in float32.
  int64_t elements = 0;           // Of all.
  int runs = 0;                   // How often the module was run to find this.
};

// Modules of `losses` that must stay in float32 for an error of at most `error`: the fewest from the first one on, of
// each the submodules alone where these suffice, and of these none that can be left out; all of `losses` if even that
// does not suffice. Assumes at first that each module that is kept makes the error no larger.
//   FailedPrecondition  the module does not run so
absl::StatusOr<MixedPrecision> FindMixedPrecision(const torch::jit::Module& module, const Reference& reference,
                                                  at::ScalarType type, const std::vector<ComparedTensor>& losses,
                                                  double error);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PARITY_CHECK_PRECISION_H_
