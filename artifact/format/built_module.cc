#include "artifact/format/built_module.h"

#include <ATen/core/function_schema.h>
#include <ATen/core/jit_type.h>
#include <torch/csrc/jit/api/module.h>

#include <memory>
#include <sstream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"
#include "common/torchscript/proof/check_entry_points.h"
#include "common/torchscript/script/compiler.h"

namespace modelport {
namespace {

// A host calls only forward. Other methods could have operators that an old runtime lacks.
absl::Status KeepForward(const ModuleType& wrapper, const Target& target, torch::jit::Module& module) {
  const absl::Status kept = KeepMethod(module, "forward");
  if (!absl::IsNotFound(kept)) return kept;
  return absl::InvalidArgumentError(absl::StrCat(MarkString(wrapper.mark), ": a wrapper for ", target.name,
                                                 " wants a method forward, ", wrapper.name(), " has none"));
}

absl::optional<std::string> DefaultOf(const c10::Argument& argument) {
  if (!argument.default_value().has_value()) return absl::nullopt;
  std::ostringstream text;
  text << *argument.default_value();
  return argument.default_value()->isString() ? absl::StrCat("\"", text.str(), "\"") : text.str();
}

}  // namespace

absl::StatusOr<BuiltModule> BuildTargetModule(const ArtifactRequest& request, const ModuleTree& tree,
                                              const std::vector<BoundTensors>& bound, bool one_method) {
  ASSIGN_OR_RETURN(torch::jit::Module module, BuildModule(tree, TensorsOf(bound), OperatorsOf(request.runtime)));
  if (request.target->wraps()) RETURN_IF_ERROR(KeepForward(*tree.root.type, *request.target, module));
  RETURN_IF_ERROR(CheckEntryPoints(module, tree.entry_points));
  BuiltModule built = {.module = std::make_shared<torch::jit::Module>(module)};
  for (const EntryPoint& entry_point : tree.entry_points) {
    if (!one_method || entry_point.method == request.method) built.entry_points.push_back(entry_point);
  }
  built.operators = CollectOperators(module);
  return built;
}

MethodTypes TypesOf(const BuiltModule& built, const EntryPoint& entry_point) {
  const c10::FunctionSchema& schema = built.module->get_method(entry_point.method).function().getSchema();
  const c10::Type& result = *schema.returns()[0].type();
  MethodTypes types = {.returns = result.annotation_str()};
  for (size_t i = 1; i < schema.arguments().size(); ++i) {  // The first one is the module.
    const c10::Argument& argument = schema.arguments()[i];
    types.arguments.push_back({argument.type()->annotation_str(), DefaultOf(argument)});
  }
  // CheckEntryPoints has found that the outputs are parts of such a result.
  if (auto places = OutputPlaces(entry_point, result); places.ok()) types.places = *std::move(places);
  return types;
}

}  // namespace modelport
