#include "tools/parity/check/reduce.h"

#include <ATen/TensorOperators.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/dotted_path.h"
#include "common/torchscript/parity/map_tensors.h"
#include "common/torchscript/parity/observe.h"
#include "common/torchscript/parity/reference_call.h"

namespace modelport {
namespace {

using torch::jit::Module;

// The submodule `path` of `module`, which has it.
Module Submodule(const Module& module, const std::string& path) {
  for (const auto& submodule : module.named_modules()) {
    if (submodule.name == path) return submodule.value;
  }
  return module;
}

// The arguments of `call` where all other modules get and return what the reference tells.
absl::StatusOr<std::vector<c10::IValue>> ArgumentsOf(const Module& module, const Reference& reference,
                                                     const ExpectedTensors& expected, const Stage& call) {
  ASSIGN_OR_RETURN(const std::vector<c10::IValue> inputs, FindArguments(module, reference, Precision::kAny));
  const auto observe = [&](const ObservedTensor& point, const at::Tensor& tensor) {
    const at::Tensor replacement = point.is_result ? at::Tensor() : expected.Replacement(point, tensor);
    return replacement.defined() ? replacement : tensor;
  };
  absl::optional<std::vector<c10::IValue>> found;
  const auto observe_call = [&](const Stage& other, const std::vector<c10::IValue>& arguments) {
    if (found || !SameCall(other, call)) return at::Tensor();
    found.emplace();
    for (size_t i = 0; i < arguments.size(); ++i) {
      ObservedTensor point = {.stage = call};
      point.stage.side = Stage::Side::kInput;
      point.stage.argument = i;
      found->push_back(MapTensors(arguments[i], [&](const std::string& element, const at::Tensor& tensor) {
        point.stage.element = element;
        point.name = StageName(point.stage);
        return observe(point, tensor).clone();
      }));
    }
    return at::Tensor();
  };
  RETURN_IF_ERROR(
      Annotate(RunObserved(module, reference.method, inputs, observe, observe_call).status(), reference.path));
  if (found) return *std::move(found);
  return absl::NotFoundError(absl::StrCat(reference.path, ": nothing calls ", StageName(call)));
}

// The name, in the reference of `call` alone, of what the whole reference calls `stage`; "" if it is not of this call.
std::string NameWithin(const Stage& call, const ExpectedTensors& expected, Stage stage) {
  if (SameCall(stage, call)) {
    if (stage.side == Stage::Side::kInput) return "";
    return stage.element.empty() ? "output" : JoinPath("output", stage.element);
  }
  // Which calls within are of this one is known only where it is the only one.
  if (!IsWithin(stage.path, call.path) || !expected.IsOnlyCall(call)) return "";
  stage.path = std::string(PathBelow(stage.path, call.path));
  return StageName(stage);
}

}  // namespace

absl::optional<Stage> FindReduction(const Module& module, const ReferenceComparison& forced,
                                    const std::vector<Suspect>& suspects) {
  const Suspect* smallest = nullptr;
  int64_t fewest = 0;
  for (const Suspect& suspect : suspects) {
    if (!suspect.inputs_are_known && !suspect.path.empty()) continue;
    const int64_t elements = CountElements(Submodule(module, suspect.path));
    if (smallest != nullptr && elements >= fewest) continue;
    smallest = &suspect;
    fewest = elements;
  }
  if (smallest == nullptr) return absl::nullopt;
  if (smallest->path.empty()) return Stage();
  const ComparedTensor* first = nullptr;
  for (const ComparedTensor& tensor : forced.tensors) {
    if (tensor.point.is_result || tensor.point.stage.path != smallest->path) continue;
    if (tensor.point.stage.side == Stage::Side::kInput) continue;
    if (first == nullptr || (first->passed() && !tensor.passed())) first = &tensor;
  }
  if (first == nullptr) return absl::nullopt;
  Stage call = first->point.stage;
  call.element.clear();
  return call;
}

absl::StatusOr<Reduction> Reduce(const Module& module, const Reference& reference, const Stage& call) {
  if (call.path.empty()) return Reduction{module, reference};
  const c10::InferenceMode inference;
  ASSIGN_OR_RETURN(const ExpectedTensors expected, ExpectedTensors::Index(reference));
  ASSIGN_OR_RETURN(const std::vector<c10::IValue> arguments, ArgumentsOf(module, reference, expected, call));
  Reduction reduction = {Submodule(module, call.path), {.path = reference.path, .model = reference.model}};
  Reference& own = reduction.reference;
  absl::StrAppend(&own.model, " ", StageName(call));
  own.method = call.method;
  const std::vector<c10::Argument>& schema =
      reduction.module.get_method(call.method).function().getSchema().arguments();
  for (size_t i = 0; i < arguments.size(); ++i) own.arguments[schema[i + 1].name()] = arguments[i];
  bool has_output = false;
  for (const auto& [name, tensor] : reference.expected) {
    const auto stage = expected.stages().find(name);
    if (stage == expected.stages().end()) continue;
    const std::string own_name = NameWithin(call, expected, stage->second);
    if (own_name.empty()) continue;
    has_output |= IsOutput(own_name);
    own.expected.emplace_back(own_name, tensor);
    if (const auto slice = reference.slices.find(name); slice != reference.slices.end()) {
      own.slices[own_name] = slice->second;
    }
  }
  for (const auto& [path, settings] : reference.settings) {
    if (IsWithin(path, call.path)) own.settings[std::string(PathBelow(path, call.path))] = settings;
  }
  if (has_output) return reduction;
  return absl::FailedPreconditionError(
      absl::StrCat(reference.path, ": does not tell what ", StageName(call), " returns"));
}

}  // namespace modelport
