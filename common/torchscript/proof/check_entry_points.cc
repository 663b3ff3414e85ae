#include "common/torchscript/proof/check_entry_points.h"

#include <torch/csrc/jit/api/module.h>

#include <algorithm>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "common/status/status_macros.h"
#include "common/text/nearest.h"
#include "common/torchscript/proof/entry_point_error.h"
#include "common/torchscript/proof/result_parts.h"

namespace modelport {
namespace {

using torch::jit::Module;

bool TakesTensor(const c10::Argument& argument) {
  const c10::Type& type = *argument.type();
  const bool is_optional = type.kind() == c10::TypeKind::OptionalType;
  return (is_optional ? *type.containedTypes()[0] : type).kind() == c10::TypeKind::TensorType;
}

absl::Status CheckInputs(const EntryPoint& entry_point, const c10::FunctionSchema& schema) {
  std::vector<std::string> arguments, inputs;
  for (const c10::Argument& argument : schema.arguments()) arguments.push_back(argument.name());
  arguments.erase(arguments.begin());  // self
  for (const Port& input : entry_point.inputs) inputs.push_back(input.name);
  if (inputs != arguments) {
    return EntryPointError(entry_point.place, entry_point,
                           absl::StrCat("field \"inputs\" wants the arguments ", absl::StrJoin(arguments, ", "),
                                        ", has ", inputs.empty() ? "none" : absl::StrJoin(inputs, ", ")));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Port& input = entry_point.inputs[i];
    if (TakesTensor(schema.arguments()[i + 1]) == input.shape.has_value()) continue;
    return EntryPointError(
        input.place, entry_point,
        absl::StrCat("argument ", input.name,
                     input.shape ? " takes no tensor, but has a shape" : " takes a tensor: state its shape"));
  }
  for (const Port& output : entry_point.outputs) {
    for (const std::string& argument : {output.only_with, output.only_without}) {
      if (argument.empty() || std::count(inputs.begin(), inputs.end(), argument) > 0) continue;
      return EntryPointError(output.place, entry_point,
                             absl::StrCat("no argument \"", argument, "\"", NearestHint(argument, inputs)));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<std::string>> OutputPlaces(const EntryPoint& entry_point, const c10::Type& result) {
  std::vector<std::string> places;
  if (IsTensorDict(result)) {
    for (const Port& output : entry_point.outputs) places.push_back(absl::StrCat("result[\"", output.name, "\"]"));
    return places;
  }
  const std::vector<ResultPart> parts = PartsOf(result);
  size_t next = 0;
  for (size_t i = 0; i < entry_point.outputs.size(); ++i) {
    const Port& output = entry_point.outputs[i];
    if (i > 0 && AreAlternatives(entry_point.outputs[i - 1], output)) {
      places.push_back(places.back());
      continue;
    }
    if (next == parts.size() || parts[next].is_tensor != output.shape.has_value()) {
      return EntryPointError(output.place, entry_point,
                             absl::StrCat("\"", output.name, "\" ",
                                          next == parts.size() ? "is not in"
                                                               : (output.shape ? "has a shape but is no tensor in"
                                                                               : "is a tensor, without a shape, in"),
                                          " the result, which is ", result.annotation_str()));
    }
    places.push_back(parts[next++].place);
  }
  if (next == parts.size()) return places;
  return EntryPointError(entry_point.place, entry_point,
                         absl::StrCat("field \"outputs\" wants ", parts.size(), " parts of the result, which is ",
                                      result.annotation_str(), ", has ", next));
}

absl::Status CheckEntryPoints(const Module& module, const std::vector<EntryPoint>& entry_points) {
  for (const EntryPoint& entry_point : entry_points) {
    const auto method = module.find_method(entry_point.method);
    if (!method) {
      std::vector<std::string> known;
      for (const torch::jit::Method& other : module.get_methods()) known.push_back(other.name());
      return EntryPointError(entry_point.place, entry_point,
                             absl::StrCat("no such method", NearestHint(entry_point.method, known)));
    }
    const c10::FunctionSchema& schema = method->function().getSchema();
    RETURN_IF_ERROR(CheckInputs(entry_point, schema));
    RETURN_IF_ERROR(OutputPlaces(entry_point, *schema.returns()[0].type()).status());
  }
  return absl::OkStatus();
}

}  // namespace modelport
