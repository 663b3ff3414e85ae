#include "common/parity/compare_reference.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/jit_type.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/parity/capture.h"
#include "common/parity/float64_copy.h"
#include "common/script/torch_status.h"
#include "common/status/status_macros.h"
#include "common/text/nearest.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

constexpr char kOutput[] = "output";
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Tensors by their name in a reference.
using NamedTensors = std::map<std::string, at::Tensor>;

bool IsOutput(absl::string_view name) { return name == kOutput || absl::StartsWith(name, "output."); }

absl::Status WrongReference(const Reference& reference, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat(reference.path, ": ", message));
}

// The dtype of the module's weights; nullopt if none are floating.
absl::optional<at::ScalarType> WeightType(const torch::jit::Module& module) {
  for (const at::Tensor& parameter : module.parameters()) {
    if (parameter.is_floating_point()) return parameter.scalar_type();
  }
  return absl::nullopt;
}

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
                                         const c10::Argument& argument) {
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
  if (value->isTensor()) {
    RETURN_IF_ERROR(CheckInputType(reference, argument.name(), value->toTensor(), WeightType(module)));
  }
  return *value;
}

absl::StatusOr<std::vector<c10::IValue>> FindArguments(const torch::jit::Module& module, const Reference& reference) {
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
    ASSIGN_OR_RETURN(values.emplace_back(), FindArgument(module, reference, arguments[i]));
  }
  for (const auto& [name, value] : reference.arguments) {
    if (std::count(names.begin(), names.end(), name) > 0) continue;
    return WrongReference(reference,
                          absl::StrCat(reference.method, " has no argument ", Brief(name), NearestHint(name, names)));
  }
  return values;
}

// The stages that the reference has tensors of, by the tensors' names.
absl::StatusOr<std::map<std::string, Stage>> FindStages(const torch::jit::Module& module, const Reference& reference) {
  std::vector<std::string> paths;
  for (const auto& submodule : module.named_modules()) paths.push_back(submodule.name);
  std::map<std::string, Stage> stages;
  for (const auto& [name, tensor] : reference.expected) {
    if (IsOutput(name)) continue;
    const absl::StatusOr<Stage> stage = ParseStage(name);
    if (!stage.ok()) return WrongReference(reference, stage.status().message());
    if (std::count(paths.begin(), paths.end(), stage->path) == 0) {
      return WrongReference(reference, absl::StrCat("tensor ", Brief(name), " is neither an input nor an output, and ",
                                                    "no submodule has this path", NearestHint(stage->path, paths)));
    }
    stages.emplace(name, *stage);
  }
  return stages;
}

// Adds the tensors in `value`, whose name is `name`: an element's name is its key or index behind a dot.
void AddTensors(const c10::IValue& value, const std::string& name, NamedTensors& tensors) {
  if (value.isTensor()) tensors[name] = value.toTensor();
  if (value.isGenericDict()) {
    for (const auto& entry : value.toGenericDict()) {
      if (entry.key().isString())
        AddTensors(entry.value(), absl::StrCat(name, ".", entry.key().toStringRef()), tensors);
    }
  }
  if (!value.isList() && !value.isTuple()) return;
  const c10::ArrayRef<c10::IValue> items = value.isTuple() ? value.toTupleRef().elements() : value.toListRef();
  for (size_t i = 0; i < items.size(); ++i) AddTensors(items[i], absl::StrCat(name, ".", i), tensors);
}

// Calls the module and returns its outputs and what passed `stages`, by name.
absl::StatusOr<NamedTensors> Run(const torch::jit::Module& module, const Reference& reference,
                                 const std::vector<c10::IValue>& arguments,
                                 const std::map<std::string, Stage>& stages) {
  std::vector<Stage> points;
  for (const auto& [name, stage] : stages) points.push_back(stage);
  const absl::StatusOr<Captured> captured = RunAndCapture(module, reference.method, arguments, points);
  if (!captured.ok()) {
    const bool is_ours = absl::IsInternal(captured.status());
    return absl::Status(is_ours ? absl::StatusCode::kFailedPrecondition : captured.status().code(),
                        absl::StrCat(reference.path, is_ours ? ": the module fails on these inputs: " : ": ",
                                     captured.status().message()));
  }
  NamedTensors tensors;
  AddTensors(captured->result, kOutput, tensors);
  size_t i = 0;
  for (const auto& [name, stage] : stages) {
    const std::vector<c10::IValue>& values = captured->captures[i++];
    if (values.size() == 1 && values[0].isTensor()) {
      tensors[name] = values[0].toTensor();
      continue;
    }
    return absl::FailedPreconditionError(absl::StrCat(
        reference.path, ": stage ", Brief(name), " wants one tensor, ",
        values.size() == 1 ? "has a " + values[0].tagKind() : absl::StrCat("is called ", values.size(), " times")));
  }
  return tensors;
}

// Calls a copy of the module in float64.
absl::StatusOr<NamedTensors> RunInFloat64(const torch::jit::Module& module, const Reference& reference,
                                          std::vector<c10::IValue> arguments,
                                          const std::map<std::string, Stage>& stages) {
  ASSIGN_OR_RETURN(const torch::jit::Module copy, CatchTorch([&] {
                     for (c10::IValue& argument : arguments) {
                       if (!argument.isTensor() || !argument.toTensor().is_floating_point()) continue;
                       argument = argument.toTensor().to(at::kDouble);
                     }
                     return Float64Copy(module);
                   }));
  absl::StatusOr<NamedTensors> tensors = Run(copy, reference, arguments, stages);
  if (tensors.ok()) return tensors;
  return absl::Status(
      tensors.status().code(),
      absl::StrCat(tensors.status().message(),
                   "\n  this was a copy in float64, which measures rounding; --tolerance=NUMBER, relative "
                   "to the largest element, does without"));
}

double LargestMagnitude(const at::Tensor& tensor) {
  return tensor.numel() == 0 ? 0 : tensor.to(at::kDouble).abs().max().item<double>();
}

// Infinite where the two do not compare.
double LargestDifference(const at::Tensor& a, const at::Tensor& b) {
  if (a.sizes() != b.sizes()) return kInfinity;
  const double difference = LargestMagnitude(a.to(at::kDouble) - b.to(at::kDouble));
  return std::isfinite(difference) ? difference : kInfinity;
}

// What 4 times the measured `noise` is bounded by, see CompareReference.
double Bounded(double noise, const at::Tensor& expected) {
  const bool is_half = expected.scalar_type() == at::kHalf || expected.scalar_type() == at::kBFloat16;
  const double largest = LargestMagnitude(expected);
  const double epsilon = expected.scalar_type() == at::kHalf ? 0x1p-10 : is_half ? 0x1p-7 : 0;
  return std::clamp(4 * noise, std::max(4e-6, epsilon) * largest, std::max(1e-3, 16 * epsilon) * largest);
}

std::string Description(const at::Tensor& tensor) {
  return absl::StrCat(c10::toString(tensor.scalar_type()), " [", absl::StrJoin(tensor.sizes(), ", "), "]");
}

std::string Obstacle(const at::Tensor& expected, const at::Tensor& actual) {
  if (expected.sizes() != actual.sizes() || expected.scalar_type() != actual.scalar_type()) {
    return absl::StrCat("wants ", Description(expected), ", has ", Description(actual));
  }
  const int64_t nonfinite = actual.isfinite().logical_not().sum().item<int64_t>();
  return nonfinite == 0 ? "" : absl::StrCat(nonfinite, " of ", actual.numel(), " elements are not finite");
}

// Compares one tensor; `wide` is the module's own in float64, undefined if rounding is not measured.
ComparedTensor Compare(const std::string& name, const at::Tensor& expected, const at::Tensor& actual,
                       const at::Tensor& wide, absl::optional<double> tolerance) {
  ComparedTensor compared{name, expected.sizes().vec()};
  compared.obstacle = Obstacle(expected, actual);
  if (!compared.obstacle.empty()) return compared;
  compared.difference = LargestDifference(expected, actual);
  if (!expected.is_floating_point()) {
    // Large integers may be equal only in float64.
    if (compared.difference == 0 && !expected.equal(actual)) compared.difference = 1;
  } else if (tolerance) {
    compared.tolerance = *tolerance * LargestMagnitude(expected);
  } else {
    compared.tolerance = Bounded(LargestDifference(actual, wide), expected);
  }
  return compared;
}

absl::Status CheckNames(const Reference& reference, const NamedTensors& outputs) {
  std::vector<std::string> known;
  for (const auto& [name, tensor] : outputs) known.push_back(name);
  for (const auto& [name, tensor] : reference.expected) {
    if (outputs.count(name) > 0) continue;
    return WrongReference(reference,
                          absl::StrCat(reference.method, " returns no tensor ", Brief(name), NearestHint(name, known)));
  }
  return absl::OkStatus();
}

std::vector<std::string> Unexpected(const Reference& reference, NamedTensors outputs) {
  for (const auto& [name, tensor] : reference.expected) outputs.erase(name);
  std::vector<std::string> names;
  for (const auto& [name, tensor] : outputs) names.push_back(name);
  return names;
}

}  // namespace

absl::StatusOr<ReferenceComparison> CompareReference(const torch::jit::Module& module, const Reference& reference,
                                                     absl::optional<double> tolerance) {
  const c10::InferenceMode inference;
  ASSIGN_OR_RETURN(const std::vector<c10::IValue> arguments, FindArguments(module, reference));
  ASSIGN_OR_RETURN(const auto stages, FindStages(module, reference));
  ASSIGN_OR_RETURN(const NamedTensors actual, Run(module, reference, arguments, stages));
  RETURN_IF_ERROR(CheckNames(reference, actual));
  NamedTensors wide;
  if (!tolerance) {
    ASSIGN_OR_RETURN(wide, RunInFloat64(module, reference, arguments, stages));
    RETURN_IF_ERROR(CheckNames(reference, wide));
  }
  ReferenceComparison comparison;
  comparison.unexpected = Unexpected(reference, actual);
  for (const auto& [name, expected] : reference.expected) {
    const at::Tensor& own = actual.find(name)->second;
    ASSIGN_OR_RETURN(comparison.tensors.emplace_back(), CatchTorch([&] {
                       return Compare(name, expected, own, tolerance ? at::Tensor() : wide.find(name)->second,
                                      tolerance);
                     }));
  }
  return comparison;
}

}  // namespace modelport
