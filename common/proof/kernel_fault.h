// Tells the faults of a processor's kernels from those of a module.
#ifndef MODELPORT_COMMON_PROOF_KERNEL_FAULT_H_
#define MODELPORT_COMMON_PROOF_KERNEL_FAULT_H_

#include <torch/csrc/jit/api/module.h>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "common/module_tree/expression.h"
#include "common/proof/operator_trace.h"

namespace modelport {

// Runs the example `call` of `module` a few times and returns the first operator, of those that are made of others the
// innermost, whose outputs differed though its inputs were bitwise equal; nullopt if there was none.
//   others  as RunExamples
absl::StatusOr<absl::optional<OperatorRun>> FindUnstableOperator(const torch::jit::Module& module, const Call& call);

// Keeps LibTorch, in all threads, from calling oneDNN, in whose place it has slower kernels of its own.
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

#endif  // MODELPORT_COMMON_PROOF_KERNEL_FAULT_H_
