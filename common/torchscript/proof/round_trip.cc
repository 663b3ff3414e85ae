#include "common/torchscript/proof/round_trip.h"

#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <future>
#include <map>
#include <memory>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"
#include "common/torchscript/archive/module_archive.h"
#include "common/torchscript/proof/check_entry_points.h"
#include "common/torchscript/proof/compare_outputs.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

using torch::jit::Module;

std::map<std::string, at::Tensor> NamedTensors(const Module& module) {
  std::map<std::string, at::Tensor> tensors;
  for (const auto& parameter : module.named_parameters()) tensors.emplace(parameter.name, parameter.value);
  for (const auto& buffer : module.named_buffers()) tensors.emplace(buffer.name, buffer.value);
  return tensors;
}

absl::StatusOr<int64_t> CompareStates(const Module& expected, const Module& actual) {
  const auto expected_tensors = NamedTensors(expected), actual_tensors = NamedTensors(actual);
  for (const auto& [name, tensor] : expected_tensors) {
    const auto found = actual_tensors.find(name);
    if (found == actual_tensors.end()) return absl::DataLossError(absl::StrCat("tensor ", name, " is missing"));
    if (!BitwiseEqual(tensor, found->second)) return absl::DataLossError(absl::StrCat("tensor ", name, " differs"));
  }
  if (expected_tensors.size() != actual_tensors.size()) {
    return absl::DataLossError(
        absl::StrCat("wants ", expected_tensors.size(), " tensors, has ", actual_tensors.size()));
  }
  return expected_tensors.size();
}

// Attributes and constants that are neither tensors nor submodules, as text.
std::map<std::string, std::string> Values(const Module& module) {
  std::map<std::string, std::string> values;
  for (const auto& attribute : module.named_attributes(/*recurse=*/false)) {
    if (attribute.value.isTensor() || attribute.value.isModule()) continue;
    std::ostringstream text;
    attribute.value.repr(text, [](std::ostream&, const c10::IValue&) { return false; });
    values[attribute.name] = text.str();
  }
  const auto type = module.type();
  for (size_t i = 0; i < type->numConstants(); ++i) {
    std::ostringstream text;
    type->getConstant(i).repr(text, [](std::ostream&, const c10::IValue&) { return false; });
    values[type->getConstantName(i)] = text.str();
  }
  return values;
}

absl::StatusOr<int64_t> CompareClasses(const Module& expected, const Module& actual) {
  std::map<std::string, Module> actual_modules;
  for (const auto& item : actual.named_modules()) actual_modules.emplace(item.name, item.value);
  int64_t count = 0;
  for (const auto& item : expected.named_modules()) {
    const auto found = actual_modules.find(item.name);
    if (found == actual_modules.end()) return absl::DataLossError(absl::StrCat("module ", item.name, " is missing"));
    const std::vector<std::string> methods = MethodSchemas(item.value);
    if (methods != MethodSchemas(found->second)) {
      return absl::DataLossError(absl::StrCat("methods of module \"", item.name, "\" differ"));
    }
    if (Values(item.value) != Values(found->second)) {
      return absl::DataLossError(absl::StrCat("attributes or constants of module \"", item.name, "\" differ"));
    }
    count += methods.size();
  }
  return count;
}

// Makes sure that the outputs of `examples` are what the entry points that they call state.
absl::Status CheckOutputs(const Module& module, const std::vector<Call>& examples,
                          const std::vector<EntryPoint>& entry_points, const std::vector<c10::IValue>& outputs) {
  for (size_t i = 0; i < examples.size(); ++i) {
    const EntryPoint* const entry_point = FindEntryPoint(entry_points, examples[i].type);
    if (entry_point == nullptr) continue;
    ASSIGN_OR_RETURN(const std::vector<c10::IValue> inputs, ExampleInputs(module, examples[i]));
    RETURN_IF_ERROR(CheckResult(module, *entry_point, examples[i].text, inputs, outputs[i]));
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<std::string> MethodSchemas(const Module& module) {
  std::vector<std::string> methods;
  for (const auto& method : module.get_methods()) {
    const c10::FunctionSchema& schema = method.function().getSchema();
    std::ostringstream text;
    text << schema.name() << "(";
    for (size_t i = 1; i < schema.arguments().size(); ++i) text << (i > 1 ? ", " : "") << schema.arguments()[i];
    text << ") -> " << schema.returns()[0].type()->annotation_str();
    methods.push_back(text.str());
  }
  std::sort(methods.begin(), methods.end());
  return methods;
}

absl::StatusOr<RoundTrip> CompareModules(const Module& expected, const Module& actual,
                                         const std::vector<Call>& examples, const std::vector<EntryPoint>& entry_points,
                                         const std::vector<c10::IValue>& expected_outputs, bool allow_nonfinite) {
  std::future<absl::StatusOr<std::vector<c10::IValue>>> running =
      std::async(std::launch::async, RunExamples, std::cref(actual), std::cref(examples));
  RoundTrip result;
  ASSIGN_OR_RETURN(result.tensors, CompareStates(expected, actual));
  ASSIGN_OR_RETURN(result.methods, CompareClasses(expected, actual));
  ASSIGN_OR_RETURN(const std::vector<c10::IValue> outputs, running.get());
  ASSIGN_OR_RETURN(ComparedOutputs compared,
                   CompareOutputs(expected, actual, examples, expected_outputs, outputs, allow_nonfinite));
  RETURN_IF_ERROR(CheckOutputs(actual, examples, entry_points, outputs));
  result.outputs = std::move(compared.outputs);
  result.kernel_fault = std::move(compared.kernel_fault);
  return result;
}

absl::StatusOr<RoundTrip> ProveRoundTrip(const Module& module, const std::string& path,
                                         const std::vector<Call>& examples, const std::vector<EntryPoint>& entry_points,
                                         bool allow_nonfinite, const std::function<void(int64_t)>& on_bytes) {
  std::future<absl::StatusOr<std::vector<c10::IValue>>> expected =
      std::async(std::launch::async, RunExamples, std::cref(module), std::cref(examples));
  ASSIGN_OR_RETURN(const Module loaded, LoadModule(path, on_bytes));
  ASSIGN_OR_RETURN(const std::vector<c10::IValue> expected_outputs, expected.get());
  return CompareModules(module, loaded, examples, entry_points, expected_outputs, allow_nonfinite);
}

}  // namespace modelport
