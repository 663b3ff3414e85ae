#include "artifact/format/onnx/prove.h"

#include <ATen/ops/tensor.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status/status_macros.h"
#include "common/torchscript/proof/check_entry_points.h"
#include "common/torchscript/proof/compare_outputs.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport::onnx {
namespace {

using torch::jit::Module;

// Whether the size in a file, a number or one with a letter, may be `size`.
bool MayBe(const Number& stated, int64_t size) {
  if (stated.AsInt()) return *stated.AsInt() == size;
  const Terms terms = stated.terms();
  return terms.size() != 1 || size % terms.begin()->second == 0;
}

// Whether the tensors of `inputs` are of sizes that the file takes.
bool TakesSizes(const ConvertedModel& converted, const std::vector<c10::IValue>& inputs) {
  for (const ConvertedPort& port : converted.inputs) {
    const c10::IValue& input = inputs[port.place];
    for (size_t axis = 0; input.isTensor() && axis < port.shape.size(); ++axis) {
      if (!MayBe(port.shape[axis], input.toTensor().size(static_cast<int64_t>(axis)))) return false;
    }
  }
  return true;
}

// Whether those of `inputs`, the arguments of a call, that the file does not take have their default.
bool OthersAreDefaults(const ConvertedModel& converted, const c10::FunctionSchema& schema,
                       const std::vector<c10::IValue>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool is_input = std::any_of(converted.inputs.begin(), converted.inputs.end(),
                                      [&](const ConvertedPort& port) { return port.place == static_cast<int>(i); });
    if (is_input) continue;
    const auto& fallback = schema.arguments()[i + 1].default_value();  // The first one is the module.
    if (!fallback || !(inputs[i] == *fallback)) return false;
  }
  return true;
}

// The values of the letters in the inputs' sizes, by the sizes of a call.
std::map<std::string, int64_t> SymbolsOf(const ConvertedModel& converted, const std::vector<c10::IValue>& inputs) {
  std::map<std::string, int64_t> symbols;
  for (const ConvertedPort& port : converted.inputs) {
    const c10::IValue& input = inputs[port.place];
    if (!input.isTensor()) continue;
    for (size_t axis = 0; axis < port.shape.size(); ++axis) {
      const Terms terms = port.shape[axis].terms();
      if (terms.size() != 1 || terms.begin()->first.size() != 1) continue;
      symbols[terms.begin()->first[0].text()] = input.toTensor().size(axis) / terms.begin()->second;
    }
  }
  return symbols;
}

// The call with `inputs` for what the file takes, in which the letters of sizes have the values of `symbols`.
absl::StatusOr<Call> SizedCall(const ConvertedModel& converted, const Call& call,
                               const std::vector<c10::IValue>& inputs, std::map<std::string, int64_t> symbols) {
  std::vector<std::string> arguments;
  for (const ConvertedPort& port : converted.inputs) {
    const c10::IValue& input = inputs[port.place];
    if (!input.isTensor()) {
      arguments.push_back(absl::StrCat(input.toInt()));
      continue;
    }
    std::vector<int64_t> sizes = input.toTensor().sizes().vec();
    for (size_t axis = 0; axis < sizes.size(); ++axis) {
      const Terms terms = port.shape[axis].terms();
      if (port.shape[axis].AsInt()) {
        sizes[axis] = *port.shape[axis].AsInt();
      } else if (terms.size() == 1 && terms.begin()->first.size() == 1) {
        sizes[axis] = terms.begin()->second * symbols[terms.begin()->first[0].text()];
      }
    }
    arguments.push_back(absl::StrCat("[", absl::StrJoin(sizes, ", "), "]"));
  }
  return ParseCall(absl::StrCat(call.type, "(", absl::StrJoin(arguments, ", "), ")"));
}

// The tensor of an output in a method's result.
absl::StatusOr<at::Tensor> OutputOf(const ConvertedPort& output, const c10::IValue& result) {
  if (result.isTensor()) return result.toTensor();
  if (result.isGenericDict()) {
    const auto dictionary = result.toGenericDict();
    const auto found = dictionary.find(output.key);
    if (found != dictionary.end()) return found->value().toTensor();
  }
  if (result.isTuple() && output.place >= 0) return result.toTupleRef().elements()[output.place].toTensor();
  return absl::InternalError(absl::StrCat("the module gives no output ", output.name));
}

// The outputs of `module` for `call`, those that the file has.
absl::StatusOr<std::vector<at::Tensor>> OutputsOf(const ConvertedModel& converted, const c10::IValue& result) {
  std::vector<at::Tensor> outputs;
  for (const ConvertedPort& output : converted.outputs) {
    ASSIGN_OR_RETURN(at::Tensor tensor, OutputOf(output, result));
    outputs.push_back(tensor.contiguous());
  }
  return outputs;
}

// `result`, which the module has given, with the file's `outputs` in the places of its own.
c10::IValue WithOutputs(const ConvertedModel& converted, const c10::IValue& result,
                        const std::vector<at::Tensor>& outputs) {
  if (result.isTensor()) return outputs[0];
  if (result.isGenericDict()) {
    auto dictionary = result.toGenericDict().copy();
    for (size_t i = 0; i < outputs.size(); ++i) {
      dictionary.insert_or_assign(converted.outputs[i].key, outputs[i]);
    }
    return dictionary;
  }
  std::vector<c10::IValue> items = result.toTupleRef().elements().vec();
  for (size_t i = 0; i < outputs.size(); ++i) items[converted.outputs[i].place] = outputs[i];
  return c10::ivalue::Tuple::create(std::move(items));
}

// How far the module's own outputs are from those in float64.
absl::StatusOr<Difference> NoiseOf(const ConvertedModel& converted, const Module& module, const EntryPoint& entry_point,
                                   const Call& call, const std::vector<at::Tensor>& outputs) {
  ASSIGN_OR_RETURN(const std::vector<c10::IValue> inputs, ExampleInputs(module, call));
  absl::StatusOr<c10::IValue> result = CatchTorch([&] {
    Module exact = module.deepcopy();
    exact.to(at::kDouble);
    std::vector<c10::IValue> exact_inputs;
    for (const c10::IValue& input : inputs) {
      exact_inputs.push_back(input.isTensor() && input.toTensor().is_floating_point()
                                 ? c10::IValue(input.toTensor().to(at::kDouble))
                                 : input);
    }
    return exact.get_method(entry_point.method)(exact_inputs);
  });
  RETURN_IF_ERROR(result.status());
  ASSIGN_OR_RETURN(const std::vector<at::Tensor> exact, OutputsOf(converted, *result));
  std::vector<at::Tensor> own;
  for (size_t i = 0; i < outputs.size(); ++i) own.push_back(outputs[i].to(exact[i].scalar_type()));
  return CompareValues(exact, own, call.text);
}

// Whether the tensors are apart by no more than roundings of their largest elements.
bool AreRoundings(const std::vector<at::Tensor>& expected, const std::vector<at::Tensor>& actual) {
  for (size_t i = 0; i < expected.size(); ++i) {
    const absl::StatusOr<Difference> one = CompareValues(expected[i], actual[i], "");
    if (!one.ok() || one->max_abs > MostRounding(expected[i].scalar_type(), LargestMagnitude(expected[i])))
      return false;
  }
  return true;
}

// What a file is compared with.
struct ProvenFile {
  const ConvertedModel& converted;
  const Module& module;
  const EntryPoint& entry_point;
  bool allow_nonfinite;
};

// Inputs of a file are float32 where the module's are float16.
at::Tensor AsFileTakes(const at::Tensor& input) {
  return (input.scalar_type() == at::kHalf ? input.to(at::kFloat) : input).contiguous();
}

absl::StatusOr<std::vector<at::Tensor>> RunFile(const OpenVinoModel& file, const ConvertedModel& converted,
                                                const std::vector<c10::IValue>& inputs) {
  std::vector<std::pair<std::string, at::Tensor>> given;
  for (const ConvertedPort& port : converted.inputs) {
    const c10::IValue& input = inputs[port.place];
    given.emplace_back(port.name, input.isTensor() ? AsFileTakes(input.toTensor()) : at::tensor({input.toInt()}));
  }
  std::vector<std::string> names;
  for (const ConvertedPort& port : converted.outputs) names.push_back(port.name);
  return file.Run(given, names);
}

// `actual` is what the file gives for the call.
absl::StatusOr<ComparedOutput> CompareCall(const ProvenFile& proven, const Call& call, std::vector<at::Tensor> actual) {
  const auto& [converted, module, entry_point, allow_nonfinite] = proven;
  ASSIGN_OR_RETURN(const std::vector<c10::IValue> inputs, ExampleInputs(module, call));
  ASSIGN_OR_RETURN(const std::vector<c10::IValue> results, RunExamples(module, {call}));
  const c10::IValue& result = results[0];
  ASSIGN_OR_RETURN(const std::vector<at::Tensor> expected, OutputsOf(converted, result));
  for (size_t i = 0; i < actual.size(); ++i) {
    if (expected[i].scalar_type() == at::kHalf) actual[i] = actual[i].to(at::kHalf);
  }
  const c10::IValue given = WithOutputs(converted, result, actual);
  ASSIGN_OR_RETURN(const Difference difference, CompareValues(result, given, call.text));
  ComparedOutput compared = {.call = call.text,
                             .max_abs = difference.max_abs,
                             .relative = difference.relative,
                             .largest = LargestMagnitude(result)};
  for (const NonfiniteOutput& found : FindNonfinite(given, call.text)) {
    compared.nan += found.nan;
    compared.infinite += found.infinite;
  }
  if (compared.nan + compared.infinite > 0 && !allow_nonfinite) {
    return absl::FailedPreconditionError(absl::StrCat(call.text, ": ", compared.nan, " values are NaN and ",
                                                      compared.infinite, " infinite; --allow_nonfinite accepts them"));
  }
  if (difference.relative > kTolerance && !AreRoundings(expected, actual)) {
    ASSIGN_OR_RETURN(const Difference noise, NoiseOf(converted, module, entry_point, call, expected));
    if (difference.relative > std::min(kNoiseFactor * noise.relative, MostNoise(expected[0].scalar_type()))) {
      return absl::DataLossError(absl::StrCat(call.text, " in OpenVINO differs from the module by ",
                                              difference.relative, " of its range, where rounding explains ",
                                              noise.relative));
    }
  }
  RETURN_IF_ERROR(CheckResult(module, entry_point, call.text, inputs, given));
  if (result.isTensor()) compared.shape = actual[0].sizes().vec();
  return compared;
}

// Those of `examples` that call the method of `entry_point` or, where none does, calls of that method with as many of
// the arguments of those of forward as the file has inputs.
absl::StatusOr<std::vector<Call>> ExamplesOfMethod(const ConvertedModel& converted, const EntryPoint& entry_point,
                                                   const std::vector<Call>& examples) {
  const size_t inputs = converted.inputs.size();
  std::vector<Call> own, others;
  for (const Call& example : examples) {
    if (example.type == entry_point.method) own.push_back(example);
    if (example.type != "forward" || example.positional.size() < inputs) continue;
    const auto begin = example.positional.begin();
    const std::string arguments =
        absl::StrJoin(begin, begin + inputs, ", ",
                      [](std::string* text, const Expression& argument) { absl::StrAppend(text, argument.text()); });
    ASSIGN_OR_RETURN(Call call, ParseCall(absl::StrCat(entry_point.method, "(", arguments, ")")));
    others.push_back(std::move(call));
  }
  return own.empty() ? others : own;
}

}  // namespace

absl::StatusOr<std::vector<Call>> CallsFor(const ConvertedModel& converted, const Module& module,
                                           const EntryPoint& entry_point, const std::vector<Call>& examples) {
  const c10::FunctionSchema& schema = module.get_method(entry_point.method).function().getSchema();
  ASSIGN_OR_RETURN(const std::vector<Call> of_method, ExamplesOfMethod(converted, entry_point, examples));
  std::vector<Call> calls;
  absl::optional<Call> other;
  for (const Call& example : of_method) {
    ASSIGN_OR_RETURN(const std::vector<c10::IValue> inputs, ExampleInputs(module, example));
    if (!other) {
      // A batch of two, and images of other heights and widths.
      std::map<std::string, int64_t> symbols = SymbolsOf(converted, inputs);
      int64_t more = 1;
      for (auto& [name, value] : symbols) value = name == "B" ? 2 : value + more++;
      ASSIGN_OR_RETURN(other, SizedCall(converted, example, inputs, symbols));
    }
    if (OthersAreDefaults(converted, schema, inputs) && TakesSizes(converted, inputs)) calls.push_back(example);
  }
  if (!other) {
    return absl::InvalidArgumentError(absl::StrCat(entry_point.place, ": no example calls ", entry_point.method,
                                                   ": add one to the plugin's examples, or --noverify"));
  }
  calls.push_back(*std::move(other));
  return calls;
}

absl::StatusOr<RoundTrip> ProveFile(const ConvertedModel& converted, const Module& module,
                                    const EntryPoint& entry_point, OpenVinoModel file,
                                    const std::vector<Call>& examples, bool allow_nonfinite) {
  ASSIGN_OR_RETURN(const std::vector<Call> calls, CallsFor(converted, module, entry_point, examples));
  std::vector<std::vector<at::Tensor>> results;
  {
    // The comparison may compute the module in float64: of a giant that and what runs the file are more than fits.
    const OpenVinoModel running = std::move(file);
    for (const Call& call : calls) {
      ASSIGN_OR_RETURN(const std::vector<c10::IValue> inputs, ExampleInputs(module, call));
      ASSIGN_OR_RETURN(results.emplace_back(), RunFile(running, converted, inputs));
    }
  }
  RoundTrip proof;
  proof.methods = 1;
  proof.runtime = absl::StrCat("OpenVINO ", kOpenVinoVersion);
  for (size_t i = 0; i < calls.size(); ++i) {
    ASSIGN_OR_RETURN(ComparedOutput compared,
                     CompareCall({converted, module, entry_point, allow_nonfinite}, calls[i], std::move(results[i])));
    proof.outputs.push_back(std::move(compared));
  }
  return proof;
}

}  // namespace modelport::onnx
