#ifndef MODELPORT_ARTIFACT_FORMAT_BUILT_MODULE_H_
#define MODELPORT_ARTIFACT_FORMAT_BUILT_MODULE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "artifact/request/artifact_request.h"
#include "common/module_tree/entry_point.h"
#include "common/module_tree/module_tree.h"
#include "common/torchscript/runtime/operators.h"
#include "common/torchscript/script/module_fwd.h"
#include "common/torchscript/weights/weights.h"

namespace modelport {

// The compiled module of a model, of which artifacts of every format are made, and what it calls.
struct BuiltModule {
  std::shared_ptr<torch::jit::Module> module = {};  // Never null.
  std::vector<EntryPoint> entry_points = {};        // Those of its tree that artifacts have.
  std::vector<Operator> operators = {};
};

// Compiles `tree` with the tensors of `bound`, which it borrows, for the runtime of `request` if it names one. If the
// request's target wraps models, the module keeps only `forward` and what it calls. `one_method` says that its
// artifacts have no other entry point than the request's method.
//   InvalidArgument  the plugin's text does not compile, or the module is not what its entry points state
absl::StatusOr<BuiltModule> BuildTargetModule(const ArtifactRequest& request, const ModuleTree& tree,
                                              const std::vector<BoundTensors>& bound, bool one_method);

// The types of a method, as TorchScript writes them: "Dict[str, Tensor]".
struct MethodTypes {
  struct Argument {
    std::string type;
    absl::optional<std::string> value;  // Its default, as code writes it.
  };
  std::vector<Argument> arguments = {};
  std::string returns;
  std::vector<std::string> places = {};  // Of each output of the entry point in the result: result["depth"].
};

// Those of the method of `entry_point`, one of those of the module's tree.
MethodTypes TypesOf(const BuiltModule& built, const EntryPoint& entry_point);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_FORMAT_BUILT_MODULE_H_
