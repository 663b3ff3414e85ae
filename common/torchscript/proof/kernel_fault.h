// Finds kernels whose outputs differ for equal inputs, to tell a processor's faults from a module's.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_PROOF_KERNEL_FAULT_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PROOF_KERNEL_FAULT_H_

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "common/expression/expression.h"
#include "common/torchscript/proof/operator_trace.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

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

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PROOF_KERNEL_FAULT_H_
