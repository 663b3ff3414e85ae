// Cuts the submodule that is wrong out of a module, with the inputs and the outputs of the reference.
#ifndef MODELPORT_TOOLS_PARITY_CHECK_REDUCE_H_
#define MODELPORT_TOOLS_PARITY_CHECK_REDUCE_H_

#include <torch/csrc/jit/api/module.h>

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "common/torchscript/parity/compare_reference.h"
#include "common/torchscript/parity/reference.h"
#include "common/torchscript/parity/stage.h"
#include "tools/parity/check/divergence.h"

namespace modelport {

// The call to reduce a module to: of the submodule with the fewest parameters and buffers among `suspects`, whose
// inputs are known, the first call whose result differs in `forced`, a comparison with inject_all, or else its first
// one. The model itself, Stage{.path = ""}, if it is the only suspect; nullopt if there is none.
absl::optional<Stage> FindReduction(const torch::jit::Module& module, const ReferenceComparison& forced,
                                    const std::vector<Suspect>& suspects);

// A submodule, and a reference of one call of it.
struct Reduction {
  torch::jit::Module module;
  Reference reference;
};

// The submodule of `call` alone. Its arguments are those of the call in a run in which all other modules pass on what
// `reference` tells; what it returns, and what passes within it, is what `reference` expects there.
//   NotFound            nothing makes this call
//   FailedPrecondition  the reference does not tell what the call returns
//   others              as CompareReference
absl::StatusOr<Reduction> Reduce(const torch::jit::Module& module, const Reference& reference, const Stage& call);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PARITY_CHECK_REDUCE_H_
