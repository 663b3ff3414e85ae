#include "common/torchscript/parity/reference_call.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/jit_type.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/status/status_macros.h"
#include "common/text/nearest.h"
#include "common/text/printable.h"
#include "common/torchscript/parity/observe.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

// `value` as an argument of `type`: JSON may write the float 1.0 as 1, and an empty list of floats reads as one of
// integers. nullopt if it is of another type.
absl::optional<c10::IValue> Converted(const c10::IValue& value, const c10::Type& type) {
  if (value.type()->isSubtypeOf(type)) return value;
  c10::IValue converted;
  if (value.isInt()) converted = static_cast<double>(value.toInt());
  if (value.isIntList()) {
    const std::vector<int64_t> integers = value.toIntVector();
    converted = std::vector<double>(integers.begin(), integers.end());
  }
  if (converted.isNone() || !converted.type()->isSubtypeOf(type)) return absl::nullopt;
  return converted;
}

absl::Status CheckInputType(const Reference& reference, const std::string& name, const at::Tensor& input,
                            absl::optional<at::ScalarType> wanted) {
  if (!wanted || !input.is_floating_point() || input.scalar_type() == *wanted) return absl::OkStatus();
  return WrongReference(reference, absl::StrCat("input.", name, " wants the dtype of the module's weights, ",
                                                c10::toString(*wanted), ", has ", c10::toString(input.scalar_type())));
}

// The value of one argument of the method: the reference's, or else the default.
absl::StatusOr<c10::IValue> FindArgument(const torch::jit::Module& module, const Reference& reference,
                                         const c10::Argument& argument, Precision precision) {
  const auto given = reference.arguments.find(argument.name());
  const std::string type = argument.type()->str();
  if (given == reference.arguments.end()) {
    if (argument.default_value()) return *argument.default_value();
    return WrongReference(reference, absl::StrCat(reference.method, " wants the argument ", argument.name(), ", a ",
                                                  type, ", which the file lacks"));
  }
  const absl::optional<c10::IValue> value = Converted(given->second, *argument.type());
  if (!value) {
    return WrongReference(reference, absl::StrCat("the argument ", argument.name(), " of ", reference.method, " wants ",
                                                  type, ", has ", given->second.type()->str()));
  }
  const absl::optional<at::ScalarType> weights = WeightType(module);
  if (precision == Precision::kAny && weights) {
    return CatchTorch([&] { return TypedCopy({*value}, *weights)[0]; });
  }
  if (value->isTensor()) {
    RETURN_IF_ERROR(CheckInputType(reference, argument.name(), value->toTensor(), weights));
  }
  return *value;
}

}  // namespace

absl::StatusOr<torch::jit::Module> WithKnobs(const torch::jit::Module& module, const Reference& reference) {
  if (reference.knobs.empty()) return module;
  torch::jit::Module changed = module.copy();
  for (const auto& [name, value] : reference.knobs) {
    std::vector<std::string> known;
    for (const auto& attribute : module.named_attributes(/*recurse=*/false)) {
      const bool is_knob = attribute.name != "training" && (attribute.value.isScalar() || attribute.value.isBool());
      if (is_knob) known.push_back(attribute.name);
    }
    if (std::count(known.begin(), known.end(), name) == 0) {
      return WrongReference(reference,
                            absl::StrCat("no knob ", Brief(name), " in the artifact", NearestHint(name, known)));
    }
    const c10::IValue now = module.attr(name);
    const absl::optional<c10::IValue> given = Converted(value, *now.type());
    if (!given) {
      return WrongReference(
          reference, absl::StrCat("the knob ", name, " wants ", now.type()->str(), ", has ", value.type()->str()));
    }
    changed.setattr(name, *given);
  }
  return changed;
}

absl::optional<at::ScalarType> WeightType(const torch::jit::Module& module) {
  for (const at::Tensor& parameter : module.parameters()) {
    if (parameter.is_floating_point()) return parameter.scalar_type();
  }
  return absl::nullopt;
}

absl::Status WrongReference(const Reference& reference, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat(reference.path, ": ", message));
}

at::ScalarType ReferencePrecision(const Reference& reference) {
  at::ScalarType lowest = at::kFloat;
  for (const auto& [name, tensor] : reference.expected) {
    if (tensor.scalar_type() == at::kBFloat16) return at::kBFloat16;
    if (tensor.scalar_type() == at::kHalf) lowest = at::kHalf;
  }
  return lowest;
}

absl::StatusOr<std::vector<c10::IValue>> FindArguments(const torch::jit::Module& module, const Reference& reference,
                                                       Precision precision) {
  std::vector<std::string> methods, names;
  for (const torch::jit::Method& method : module.get_methods()) methods.push_back(method.name());
  const auto method = module.find_method(reference.method);
  if (!method) {
    return WrongReference(reference, absl::StrCat("no method ", Brief(reference.method), " in the artifact",
                                                  NearestHint(reference.method, methods)));
  }
  std::vector<c10::IValue> values;
  const std::vector<c10::Argument>& arguments = method->function().getSchema().arguments();
  for (size_t i = 1; i < arguments.size(); ++i) {  // The first one is the module.
    names.push_back(arguments[i].name());
    ASSIGN_OR_RETURN(values.emplace_back(), FindArgument(module, reference, arguments[i], precision));
  }
  for (const auto& [name, value] : reference.arguments) {
    if (std::count(names.begin(), names.end(), name) > 0) continue;
    return WrongReference(reference,
                          absl::StrCat(reference.method, " has no argument ", Brief(name), NearestHint(name, names)));
  }
  return values;
}

absl::StatusOr<ExpectedTensors> ExpectedTensors::Index(const Reference& reference) {
  ExpectedTensors index;
  for (const auto& [name, tensor] : reference.expected) {
    std::string key = name;
    if (!IsOutput(name)) {
      absl::StatusOr<Stage> stage = ParseStage(name);
      if (!stage.ok()) return WrongReference(reference, stage.status().message());
      key = StageName(*stage);
      index.stages_.emplace(name, *std::move(stage));
    }
    index.tensors_[key] = {name, tensor, reference.slices.count(name) == 0};
  }
  return index;
}

const std::string* ExpectedTensors::Name(const ObservedTensor& point) const {
  const auto found = tensors_.find(point.name);
  return found == tensors_.end() ? nullptr : &found->second.name;
}

at::Tensor ExpectedTensors::Replacement(const ObservedTensor& point, const at::Tensor& tensor) const {
  const auto found = tensors_.find(point.name);
  if (found == tensors_.end() || !found->second.is_whole) return {};
  const at::Tensor& expected = found->second.tensor;
  const bool is_floating = tensor.is_floating_point() && expected.is_floating_point();
  if (expected.numel() != tensor.numel() || (!is_floating && expected.scalar_type() != tensor.scalar_type())) return {};
  // A copy: the module may write to it.
  return expected.to(tensor.scalar_type(), /*non_blocking=*/false, /*copy=*/true).reshape(tensor.sizes());
}

at::Tensor ExpectedTensors::Result(const Stage& call, absl::optional<at::ScalarType> type) const {
  const auto found = tensors_.find(StageName(call));
  if (found == tensors_.end() || !found->second.is_whole) return {};
  const at::Tensor& result = found->second.tensor;
  return result.to(type && result.is_floating_point() ? *type : result.scalar_type(), false, /*copy=*/true);
}

bool ExpectedTensors::IsOnlyCall(const Stage& call) const {
  return std::all_of(stages_.begin(), stages_.end(),
                     [&](const auto& named) { return named.second.path != call.path || SameCall(named.second, call); });
}

}  // namespace modelport
