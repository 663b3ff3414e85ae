// Finds what keeps a runtime from loading an archive, from the archive's format and the operators of its code.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_RUNTIME_RUNTIME_OBSTACLES_H_
#define MODELPORT_COMMON_TORCHSCRIPT_RUNTIME_RUNTIME_OBSTACLES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/torchscript/runtime/operators.h"
#include "common/torchscript/runtime/runtime.h"

namespace modelport {

// One reason why a runtime cannot load an archive, or would compute something else with it.
struct RuntimeObstacle {
  std::string call;                         // "aten::pad(Tensor, List[int])"; empty: the archive's format.
  std::string cause;                        // "LibTorch 1.6 does not have it".
  std::vector<OperatorCall::Place> places;  // Where the call is made.
};

// All reasons why `runtime` cannot load an archive of this format and these operators, or would compute something else.
std::vector<RuntimeObstacle> FindObstacles(const Runtime& runtime, const ArchiveFormat& format,
                                           const std::vector<Operator>& operators);

// OK if FindObstacles finds nothing.
//   FailedPrecondition  names the obstacles with their lines and modules, and the oldest runtime that has none
absl::Status CheckRuntime(const Runtime& runtime, const ArchiveFormat& format, const std::vector<Operator>& operators);

// The name of the oldest runtime without obstacles; empty if every runtime has some.
std::string MinimumRuntime(const ArchiveFormat& format, const std::vector<Operator>& operators);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_RUNTIME_RUNTIME_OBSTACLES_H_
