#include "common/torchscript/proof/compare_outputs.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/jit_type.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/nan_to_num.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/view_as_real.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/Exception.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "common/checkpoint/seeded.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/tensor/shape.h"
#include "common/text/nearest.h"
#include "common/torchscript/proof/operator_trace.h"
#include "common/torchscript/script/compile_message.h"
#include "common/torchscript/script/ivalue.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

// Discards LibTorch's warnings, which would come before the error on stderr.
class NoWarnings : public c10::WarningHandler {
 public:
  void process(const c10::Warning&) override {}
};

// Elements of one input; far more than an example needs.
constexpr int64_t kMaxElements = 100000000;

// "toy/plugin.yaml:12:5: example forward([1, 3])".
std::string ExampleName(const Call& call) {
  return absl::StrCat(call.place, call.place.empty() ? "" : ": ", "example ", call.text);
}

absl::Status ExampleError(const Call& call, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat(ExampleName(call), ": ", message));
}

// "RuntimeError: what is wrong".
bool IsCause(absl::string_view line) {
  const absl::string_view kind = line.substr(0, line.find(": "));
  return kind.size() < line.size() &&
         kind.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz._") == absl::string_view::npos;
}

// LibTorch's text about a failed operation, with the cause, which LibTorch prints last, in front of the traceback.
std::string CauseFirst(const std::string& text) {
  const std::vector<std::string> lines = absl::StrSplit(text, '\n');
  const auto is_place = [](const std::string& line) { return absl::EndsWith(line, "<--- HERE"); };
  const auto last_place = std::find_if(lines.rbegin(), lines.rend(), is_place).base();
  const auto cause = std::find_if(last_place, lines.end(), IsCause);
  const auto file = std::find_if(lines.begin(), lines.end(),
                                 [](const std::string& line) { return absl::StartsWith(line, "  File \""); });
  if (cause == lines.end() || file >= cause) return text;
  const std::string says = absl::StrJoin(cause, lines.end(), "\n");
  return absl::StrCat(absl::StripPrefix(says, "RuntimeError: "), "\n  ", absl::StrJoin(file, cause, "\n  "));
}

absl::Status CheckShape(const Call& call, const std::string& name, const Shape& shape) {
  const absl::optional<int64_t> elements = ElementCount(shape);
  if (elements.has_value() && *elements <= kMaxElements) return absl::OkStatus();
  return ExampleError(call, absl::StrCat(name, " wants a shape of sizes that are not negative and of at most ",
                                         kMaxElements, " elements, has ", ShapeString(shape)));
}

at::Tensor SeededInput(const std::string& name, const Shape& shape, at::ScalarType dtype) {
  at::Tensor tensor = at::empty(shape, at::kFloat);
  SeededFill(absl::StrCat("input:", name), /*seed=*/0, /*center=*/0.0, /*spread=*/1.0,
             absl::MakeSpan(tensor.mutable_data_ptr<float>(), tensor.numel()));
  return tensor.to(dtype);
}

at::ScalarType ParameterType(const torch::jit::Module& module) {
  for (const at::Tensor& parameter : module.parameters()) return parameter.scalar_type();
  return at::kFloat;
}

// The value of the argument `index` of `call`, for the method's parameter `argument`.
absl::StatusOr<c10::IValue> Input(const torch::jit::Module& module, const Call& call, size_t index,
                                  const c10::Argument& argument) {
  ASSIGN_OR_RETURN(const Value value, call.positional[index].Evaluate({}));
  const auto* shape = std::get_if<Shape>(&value);
  if (shape == nullptr || !argument.type()->isSubtypeOf(*c10::TensorType::get())) return ToIValue(value);
  RETURN_IF_ERROR(CheckShape(call, argument.name(), *shape));
  return SeededInput(argument.name(), *shape, ParameterType(module));
}

std::vector<std::string> MethodNames(const torch::jit::Module& module) {
  std::vector<std::string> names;
  for (const torch::jit::Method& method : module.get_methods()) names.push_back(method.name());
  return names;
}

// `module` with the knobs that `call` gives by name; `module` itself keeps its own.
absl::StatusOr<torch::jit::Module> WithKnobs(const torch::jit::Module& module, const Call& call) {
  if (call.named.empty()) return module;
  torch::jit::Module turned = module.copy();
  for (const auto& [name, expression] : call.named) {
    const bool is_knob = module.hasattr(name) && (module.attr(name).isInt() || module.attr(name).isDouble());
    if (!is_knob) return ExampleError(call, absl::StrCat("no knob ", name, "; arguments are given by position"));
    ASSIGN_OR_RETURN(const Value value, expression.Evaluate({}));
    const c10::IValue given = ToIValue(value);
    const c10::IValue knob = module.attr(name).isDouble() && given.isInt() ? double(given.toInt()) : given;
    if (knob.tagKind() != module.attr(name).tagKind()) {
      return ExampleError(call, absl::StrCat("the knob ", name, " is of another type than ", expression.text()));
    }
    turned.setattr(name, knob);
  }
  return turned;
}

absl::StatusOr<std::vector<c10::IValue>> Inputs(const torch::jit::Module& module, const Call& call) {
  const auto method = module.find_method(call.type);
  if (!method) {
    return ExampleError(call, absl::StrCat("no method ", call.type, NearestHint(call.type, MethodNames(module))));
  }
  const c10::FunctionSchema& schema = method->function().getSchema();
  if (call.positional.size() + 1 > schema.arguments().size()) {
    return ExampleError(
        call, absl::StrCat(call.type, " takes ", schema.arguments().size() - 1, " arguments, given by position"));
  }
  std::vector<c10::IValue> inputs;
  for (size_t i = 0; i < call.positional.size(); ++i) {
    ASSIGN_OR_RETURN(inputs.emplace_back(), Input(module, call, i, schema.arguments()[i + 1]));  // After self.
  }
  torch::jit::Stack stack = {module._ivalue()};
  stack.insert(stack.end(), inputs.begin(), inputs.end());
  const absl::Status fits = CatchTorch([&] { schema.checkAndNormalizeInputs(stack, {}); });
  if (!fits.ok()) return ExampleError(call, WithPluginNames(fits.message()));
  return inputs;
}

using torch::jit::Module;

// Exchanges the tensors of two modules of equal structure.
void ExchangeTensors(Module a, Module b) {
  for (const auto& attribute : a.named_attributes(/*recurse=*/false)) {
    if (attribute.value.isModule()) {
      ExchangeTensors(attribute.value.toModule(), b.attr(attribute.name).toModule());
    } else if (attribute.value.isTensor()) {
      a.setattr(attribute.name, b.attr(attribute.name));
      b.setattr(attribute.name, attribute.value);
    }
  }
}

// The output of `call` of `expected` with the tensors of `actual`: equal values at other places in memory.
absl::StatusOr<c10::IValue> RunOnTensorsOf(const Module& actual, const Module& expected, const Call& call) {
  ExchangeTensors(expected, actual);
  absl::StatusOr<std::vector<c10::IValue>> outputs = RunExamples(expected, {call});
  ExchangeTensors(expected, actual);
  RETURN_IF_ERROR(outputs.status());
  return outputs->front();
}

Shape OutputShape(const c10::IValue& output) { return output.isTensor() ? output.toTensor().sizes().vec() : Shape(); }

// Two modules of equal tensors, and calls to compare.
struct Pair {
  const Module& expected;
  const Module& actual;
  const std::vector<Call>& examples;
  bool allow_nonfinite;
};

// The operator that makes the first value of `call` that is not finite; empty if there is none.
std::string FirstNonfinite(const Module& module, const Call& call) {
  for (const OperatorRun& run : TraceOperators([&] { RunExamples(module, {call}).IgnoreError(); })) {
    if (run.makes_nonfinite) return run.call;
  }
  return "";
}

// Counts the values of an output that are not finite. They are an error unless the pair allows them.
absl::Status CheckFinite(const Pair& pair, const Call& call, const c10::IValue& output, ComparedOutput& compared) {
  const std::vector<NonfiniteOutput> nonfinite = FindNonfinite(output, call.text);
  for (const NonfiniteOutput& tensor : nonfinite) {
    compared.nan += tensor.nan;
    compared.infinite += tensor.infinite;
  }
  if (nonfinite.empty() || pair.allow_nonfinite) return absl::OkStatus();
  const NonfiniteOutput& first = nonfinite.front();
  const std::string maker = FirstNonfinite(pair.expected, call);
  return absl::FailedPreconditionError(absl::StrCat(
      first.name, ": ", first.nan, " of ", first.elements, " values are NaN and ", first.infinite,
      " infinite, of finite inputs", maker.empty() ? "" : absl::StrCat("\n  the first such values come from ", maker),
      "\n  possible causes: a wrong weight, such as a negative variance; overflow in the dtype, as float16 ends at "
      "65504"
      " and float32 and bfloat16 end at 3e38; seeded weights, where published ones cause no overflow"
      "\n  --allow_nonfinite accepts such outputs"));
}

absl::StatusOr<ComparedOutput> CompareOutput(const Pair& pair, const Call& call, const c10::IValue& expected,
                                             const c10::IValue& actual) {
  ASSIGN_OR_RETURN(Difference difference, CompareValues(expected, actual, call.text));
  ComparedOutput compared{call.text, difference.max_abs, difference.relative, OutputShape(actual)};
  if (difference.max_abs != 0) {
    // A network may magnify rounding without bound. Then both modules must give equal bits on the same memory.
    const bool is_magnified = difference.relative > kAlignmentTolerance;
    ASSIGN_OR_RETURN(const c10::IValue output, RunOnTensorsOf(pair.actual, pair.expected, call));
    ASSIGN_OR_RETURN(difference, CompareValues(output, actual, call.text));
    const bool is_equal = difference.max_abs == 0;
    if (is_magnified && !is_equal) {
      return absl::DataLossError(absl::StrCat(call.text, " differs by ", difference.max_abs, ", ", difference.relative,
                                              " of its range, on equal tensors"));
    }
    compared.equal_on_same_memory = is_magnified;
    // Where the tensors of one export happened to lie is no fact of the artifact: equal exports state equal proofs.
    if (is_equal && !is_magnified) compared.max_abs = compared.relative = 0;
  }
  RETURN_IF_ERROR(CheckFinite(pair, call, actual, compared));
  compared.largest = LargestMagnitude(expected);
  return compared;
}

// The comparison of a pair's calls, up to the first that does not agree.
struct Comparison {
  std::vector<ComparedOutput> outputs;
  absl::Status status;  // Of the first call that does not agree, if there is one.
};

Comparison CompareEach(const Pair& pair, const std::vector<c10::IValue>& expected,
                       const std::vector<c10::IValue>& actual) {
  Comparison result;
  for (size_t i = 0; i < pair.examples.size(); ++i) {
    absl::StatusOr<ComparedOutput> compared = CompareOutput(pair, pair.examples[i], expected[i], actual[i]);
    if (!compared.ok()) {
      result.status = compared.status();
      break;
    }
    result.outputs.push_back(*std::move(compared));
  }
  return result;
}

absl::StatusOr<Comparison> CompareWithoutOneDnn(const Pair& pair) {
  const WithoutOneDnn without;
  ASSIGN_OR_RETURN(const std::vector<c10::IValue> expected, RunExamples(pair.expected, pair.examples));
  ASSIGN_OR_RETURN(const std::vector<c10::IValue> actual, RunExamples(pair.actual, pair.examples));
  return CompareEach(pair, expected, actual);
}

// The unstable operator in the call at which `failed` ended, if there is one.
absl::StatusOr<absl::optional<OperatorRun>> FindFault(const Pair& pair, const Comparison& failed) {
  return FindUnstableOperator(pair.expected, pair.examples[failed.outputs.size()]);
}

// The error for a pair that differs without oneDNN, too: it names the unstable operator or, if there is none, the
// difference of the modules.
absl::Status ExplainWithoutOneDnn(const Pair& pair, const Comparison& failed) {
  if (absl::IsFailedPrecondition(failed.status)) return failed.status;
  const WithoutOneDnn without;
  ASSIGN_OR_RETURN(const absl::optional<OperatorRun> fault, FindFault(pair, failed));
  if (!fault) return failed.status;
  if (fault->is_random) {
    return absl::InvalidArgumentError(
        absl::StrCat(fault->call, " draws random numbers, so outputs cannot be compared; remove it from the model"));
  }
  return absl::UnavailableError(absl::StrCat("nothing can be proven on this machine: ", fault->call, kFaultVerdict,
                                             " here, even without oneDNN; use another machine or --dtype"));
}

void FindInTensor(const at::Tensor& tensor, const std::string& name, std::vector<NonfiniteOutput>& found) {
  if (!tensor.is_floating_point()) return;
  const int64_t nan = tensor.isnan().sum().item<int64_t>(), infinite = tensor.isinf().sum().item<int64_t>();
  if (nan + infinite > 0) found.push_back({name, tensor.numel(), nan, infinite});
}

std::string Item(const std::string& name, const c10::IValue& key) {
  std::ostringstream text;
  if (key.isString()) {
    text << key.toStringRef();
  } else {
    text << key;
  }
  return absl::StrCat(name, "[", text.str(), "]");
}

void Find(const c10::IValue& value, const std::string& name, std::vector<NonfiniteOutput>& found) {
  if (value.isTensor()) FindInTensor(value.toTensor(), name, found);
  if (value.isTuple() || value.isList()) {
    const std::vector<c10::IValue> items =
        value.isTuple() ? value.toTupleRef().elements().vec() : value.toListRef().vec();
    for (size_t i = 0; i < items.size(); ++i) Find(items[i], absl::StrCat(name, "[", i, "]"), found);
  }
  if (!value.isGenericDict()) return;
  for (const auto& entry : value.toGenericDict()) Find(entry.value(), Item(name, entry.key()), found);
}

// A kernel that reads memory outside its inputs may find equal values there in two runs.
constexpr int kRuns = 5;

absl::StatusOr<std::vector<OperatorRun>> Trace(const torch::jit::Module& module, const Call& call) {
  absl::Status status;
  std::vector<OperatorRun> runs = TraceOperators([&] { status = RunExamples(module, {call}).status(); });
  RETURN_IF_ERROR(status);
  return runs;
}

// Stops where the runs take different branches.
absl::optional<OperatorRun> FirstDifference(const std::vector<OperatorRun>& a, const std::vector<OperatorRun>& b) {
  for (size_t i = 0; i < std::min(a.size(), b.size()) && a[i].name == b[i].name; ++i) {
    if (a[i].input_digest == b[i].input_digest && a[i].output_digest != b[i].output_digest) return a[i];
  }
  return absl::nullopt;
}

std::string Description(const at::Tensor& tensor) {
  return absl::StrCat(c10::toString(tensor.scalar_type()), " [", absl::StrJoin(tensor.sizes(), ", "), "]");
}

// Whether the tensor is nothing but an array of elements in the CPU's memory.
bool IsPlain(const at::Tensor& tensor) {
  return tensor.defined() && tensor.layout() == at::kStrided && tensor.device().is_cpu() && !tensor.is_nested() &&
         !tensor.is_quantized() && !tensor._is_zerotensor();
}

// Describes a tensor for which IsPlain is false.
std::string Kind(const at::Tensor& tensor) {
  if (!tensor.defined()) return "an undefined tensor";
  if (tensor.is_nested()) return "a nested tensor";
  if (tensor.is_quantized()) return "a quantized tensor";
  std::ostringstream text;
  text << "a tensor of layout " << tensor.layout() << " on device " << tensor.device();
  return text.str();
}

absl::Status CannotCompare(absl::string_view name, absl::string_view what) {
  return absl::UnimplementedError(
      absl::StrCat(name, " is ", what,
                   "; outputs are compared as dense tensors on the CPU, and lists, tuples, dictionaries of them"));
}

// The size that a difference of a tensor with `dimensions` is divided by, of its finite `elements`: their range, or
// their largest magnitude if all are equal or the tensor has one number an image. Two such numbers, which may be nearly
// equal, have a range that tells nothing of rounding.
double Size(const at::Tensor& elements, int64_t dimensions) {
  const double largest = elements.max().item<double>(), smallest = elements.min().item<double>();
  if (largest > smallest && dimensions > 1) return largest - smallest;
  return std::max(std::abs(largest), std::abs(smallest));
}

// The elements as float64, those of a complex tensor as pairs.
at::Tensor Numbers(const at::Tensor& tensor) {
  return (tensor.is_complex() ? at::view_as_real(tensor.resolve_conj()) : tensor).to(at::kDouble);
}

absl::StatusOr<Difference> CompareNumbers(const at::Tensor& expected, const at::Tensor& actual,
                                          absl::string_view name) {
  const at::Tensor a = Numbers(expected), b = Numbers(actual);
  const at::Tensor finite = at::isfinite(a);
  const at::Tensor agree = (finite & at::isfinite(b)) | (a == b) | (at::isnan(a) & at::isnan(b));
  if (!agree.all().item<bool>()) return absl::DataLossError(absl::StrCat(name, " has other NaN or infinite values"));
  Difference difference;
  difference.max_abs = at::where(finite, (a - b).abs(), at::zeros({}, at::kDouble)).max().item<double>();
  // Large integers that differ may be equal as float64.
  if (at::isIntegralType(expected.scalar_type(), /*includeBool=*/true)) {
    difference.max_abs = std::max(difference.max_abs, 1.0);
  }
  const at::Tensor values = a.masked_select(finite);
  const double size = values.numel() > 0 ? Size(values, expected.dim()) : 0;
  difference.relative = size > 0 ? difference.max_abs / size : difference.max_abs;
  return difference;
}

absl::StatusOr<Difference> CompareTensors(const at::Tensor& expected, const at::Tensor& actual,
                                          absl::string_view name) {
  for (const at::Tensor* tensor : {&expected, &actual}) {
    if (!IsPlain(*tensor)) return CannotCompare(name, Kind(*tensor));
  }
  if (expected.scalar_type() != actual.scalar_type() || expected.sizes() != actual.sizes()) {
    return absl::DataLossError(absl::StrCat(name, " wants ", Description(expected), ", has ", Description(actual)));
  }
  if (expected.numel() == 0 || BitwiseEqual(expected, actual)) return Difference();
  return CompareNumbers(expected, actual, name);
}

absl::StatusOr<Difference> Compare(const c10::IValue& expected, const c10::IValue& actual, absl::string_view name,
                                   int depth);

// Compares two sequences item by item.
absl::StatusOr<Difference> CompareSequences(const std::vector<c10::IValue>& expected,
                                            const std::vector<c10::IValue>& actual, absl::string_view name, int depth) {
  if (expected.size() != actual.size()) {
    return absl::DataLossError(absl::StrCat(name, " wants ", expected.size(), " items, has ", actual.size()));
  }
  Difference worst;
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSIGN_OR_RETURN(const Difference item, Compare(expected[i], actual[i], absl::StrCat(name, "[", i, "]"), depth));
    worst.Include(item);
  }
  return worst;
}

std::string KeyString(const c10::IValue& key) {
  if (key.isString()) return absl::StrCat("\"", key.toStringRef(), "\"");
  std::ostringstream text;
  text << key;
  return text.str();
}

// Compares two dictionaries entry by entry; their entries are in the order of insertion.
absl::StatusOr<Difference> CompareDicts(const c10::impl::GenericDict& expected, const c10::impl::GenericDict& actual,
                                        absl::string_view name, int depth) {
  if (expected.keyType()->kind() == c10::TypeKind::TensorType) {
    return CannotCompare(name, "a dictionary with tensors for keys");
  }
  if (expected.size() != actual.size()) {
    return absl::DataLossError(absl::StrCat(name, " wants ", expected.size(), " keys, has ", actual.size()));
  }
  Difference worst;
  auto other = actual.begin();
  for (const auto& entry : expected) {
    const std::string key = KeyString(entry.key());
    if (entry.key() != other->key()) {
      return absl::DataLossError(absl::StrCat(name, " wants the key ", key, ", has ", KeyString(other->key())));
    }
    ASSIGN_OR_RETURN(const Difference item,
                     Compare(entry.value(), other->value(), absl::StrCat(name, "[", key, "]"), depth));
    worst.Include(item);
    ++other;
  }
  return worst;
}

absl::StatusOr<Difference> CompareScalars(const c10::IValue& expected, const c10::IValue& actual,
                                          absl::string_view name) {
  return CompareTensors(at::scalar_tensor(expected.toScalar(), at::kDouble),
                        at::scalar_tensor(actual.toScalar(), at::kDouble), name);
}

absl::StatusOr<Difference> Compare(const c10::IValue& expected, const c10::IValue& actual, absl::string_view name,
                                   int depth) {
  // A list of type Any can contain itself.
  constexpr int kMaxDepth = 50;
  if (depth == kMaxDepth) return CannotCompare(name, "nested deeper than 50 levels");
  if (expected.tagKind() != actual.tagKind()) {
    return absl::DataLossError(absl::StrCat(name, " wants ", expected.tagKind(), ", has ", actual.tagKind()));
  }
  if (expected.isTensor()) return CompareTensors(expected.toTensor(), actual.toTensor(), name);
  if (expected.isTuple()) {
    return CompareSequences(expected.toTupleRef().elements().vec(), actual.toTupleRef().elements().vec(), name,
                            depth + 1);
  }
  if (expected.isList()) {
    return CompareSequences(expected.toListRef().vec(), actual.toListRef().vec(), name, depth + 1);
  }
  if (expected.isGenericDict()) return CompareDicts(expected.toGenericDict(), actual.toGenericDict(), name, depth + 1);
  if (expected.isDouble()) return CompareScalars(expected, actual, name);
  const bool is_exact = expected.isNone() || expected.isInt() || expected.isBool() || expected.isString() ||
                        expected.isComplexDouble() || expected.isDevice();
  if (!is_exact) return CannotCompare(name, absl::StrCat("of type ", expected.type()->annotation_str()));
  if (expected != actual) return absl::DataLossError(absl::StrCat(name, " differs"));
  return Difference();
}

absl::StatusOr<c10::IValue> RunOn(const std::vector<c10::IValue>& inputs, const torch::jit::Module& module,
                                  const Call& call) {
  ASSIGN_OR_RETURN(const torch::jit::Module turned, WithKnobs(module, call));
  NoWarnings no_warnings;
  const c10::WarningUtils::WarningHandlerGuard guard(&no_warnings);
  absl::StatusOr<c10::IValue> output = CatchTorch([&] { return turned.get_method(call.type)(inputs); });
  if (output.ok()) return output;
  if (absl::IsInternal(output.status())) {
    return ExampleError(call, CauseFirst(std::string(output.status().message())));
  }
  return Annotate(output.status(), ExampleName(call));
}

// The name of the first of the tensors among `inputs` that differs from what it was; "" if none does.
std::string FirstChanged(const std::vector<c10::IValue>& inputs, const std::vector<c10::IValue>& before,
                         const torch::jit::Module& module, const Call& call) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].isTensor() || BitwiseEqual(before[i].toTensor(), inputs[i].toTensor())) continue;
    return module.get_method(call.type).function().getSchema().arguments()[i + 1].name();  // Behind self.
  }
  return "";
}

// Runs the call, and makes sure that the tensors that it is given stay as they are.
absl::StatusOr<c10::IValue> RunKeepingInputs(const torch::jit::Module& module, const Call& call) {
  ASSIGN_OR_RETURN(const std::vector<c10::IValue> inputs, ExampleInputs(module, call));
  std::vector<c10::IValue> before;
  RETURN_IF_ERROR(CatchTorch([&] {
    for (const c10::IValue& input : inputs) before.push_back(input.isTensor() ? input.toTensor().clone() : input);
  }));
  ASSIGN_OR_RETURN(c10::IValue output, RunOn(inputs, module, call));
  ASSIGN_OR_RETURN(const std::string changed, CatchTorch([&] { return FirstChanged(inputs, before, module, call); }));
  if (changed.empty()) return output;
  return absl::FailedPreconditionError(
      absl::StrCat(ExampleName(call), ": writes into its input ", changed,
                   ", which is the caller's: compute a new tensor, such as x = x + 1 in the place of x += 1"));
}

}  // namespace

absl::StatusOr<std::vector<c10::IValue>> ExampleInputs(const torch::jit::Module& module, const Call& call) {
  absl::StatusOr<absl::StatusOr<std::vector<c10::IValue>>> inputs = CatchTorch([&] { return Inputs(module, call); });
  if (!inputs.ok()) return Annotate(inputs.status(), ExampleName(call));
  return *std::move(inputs);
}

absl::StatusOr<c10::IValue> RunExample(const torch::jit::Module& module, const Call& call) {
  ASSIGN_OR_RETURN(const std::vector<c10::IValue> inputs, ExampleInputs(module, call));
  return RunOn(inputs, module, call);
}

absl::StatusOr<std::vector<c10::IValue>> RunExamples(const torch::jit::Module& module,
                                                     const std::vector<Call>& examples) {
  // Optimising the graphs of a few small calls, or running them on several threads, would take longer than the calls.
  const torch::jit::GraphOptimizerEnabledGuard optimiser_off(/*state=*/false);
  at::set_num_threads(1);
  const c10::InferenceMode inference;
  std::vector<c10::IValue> outputs;
  for (const Call& call : examples) {
    ASSIGN_OR_RETURN(outputs.emplace_back(), RunKeepingInputs(module, call));
  }
  return outputs;
}

absl::StatusOr<ComparedOutputs> CompareOutputs(const Module& expected, const Module& actual,
                                               const std::vector<Call>& examples,
                                               const std::vector<c10::IValue>& expected_outputs,
                                               const std::vector<c10::IValue>& outputs, bool allow_nonfinite) {
  const Pair pair{expected, actual, examples, allow_nonfinite};
  Comparison compared = CompareEach(pair, expected_outputs, outputs);
  if (compared.status.ok()) return ComparedOutputs{std::move(compared.outputs), ""};
  // If the modules agree without oneDNN, a kernel of oneDNN is at fault and not the modules.
  ASSIGN_OR_RETURN(Comparison without, CompareWithoutOneDnn(pair));
  if (!without.status.ok()) return ExplainWithoutOneDnn(pair, without);
  ASSIGN_OR_RETURN(const absl::optional<OperatorRun> fault, FindFault(pair, compared));
  // Rounding differs without oneDNN and may turn an infinite value into the largest finite number.
  if (!fault && absl::IsFailedPrecondition(compared.status)) return compared.status;
  const std::string culprit = fault ? fault->call : "a kernel of oneDNN";
  return ComparedOutputs{std::move(without.outputs), absl::StrCat(culprit, kFaultVerdict)};
}

double LargestMagnitude(const c10::IValue& output) {
  double largest = 0;
  output.visit([&](const c10::IValue& value) {
    if (!value.isTensor() || value.toTensor().numel() == 0) return false;
    const at::Tensor magnitudes = at::nan_to_num(value.toTensor().to(at::kDouble).abs(), 0.0, 0.0, 0.0);
    largest = std::max(largest, magnitudes.max().item<double>());
    return false;
  });
  return largest;
}

std::vector<NonfiniteOutput> FindNonfinite(const c10::IValue& output, const std::string& name) {
  std::vector<NonfiniteOutput> found;
  Find(output, name, found);
  return found;
}

absl::StatusOr<absl::optional<OperatorRun>> FindUnstableOperator(const torch::jit::Module& module, const Call& call) {
  ASSIGN_OR_RETURN(std::vector<OperatorRun> previous, Trace(module, call));
  for (int i = 1; i < kRuns; ++i) {
    ASSIGN_OR_RETURN(std::vector<OperatorRun> runs, Trace(module, call));
    if (absl::optional<OperatorRun> found = FirstDifference(previous, runs)) return found;
    previous = std::move(runs);
  }
  return absl::optional<OperatorRun>();
}

WithoutOneDnn::WithoutOneDnn() : was_enabled_(at::globalContext().userEnabledMkldnn()) {
  at::globalContext().setUserEnabledMkldnn(false);
}

WithoutOneDnn::~WithoutOneDnn() { at::globalContext().setUserEnabledMkldnn(was_enabled_); }

void Difference::Include(const Difference& other) {
  max_abs = std::max(max_abs, other.max_abs);
  relative = std::max(relative, other.relative);
}

bool BitwiseEqual(const at::Tensor& a, const at::Tensor& b) {
  if (!IsPlain(a) || !IsPlain(b) || a.scalar_type() != b.scalar_type() || a.sizes() != b.sizes()) return false;
  if (a.numel() == 0) return true;
  const at::Tensor x = a.resolve_conj().resolve_neg().contiguous(), y = b.resolve_conj().resolve_neg().contiguous();
  return std::memcmp(x.const_data_ptr(), y.const_data_ptr(), x.nbytes()) == 0;
}

absl::StatusOr<Difference> CompareValues(const c10::IValue& expected, const c10::IValue& actual,
                                         absl::string_view name) {
  absl::StatusOr<absl::StatusOr<Difference>> difference =
      CatchTorch([&] { return Compare(expected, actual, name, /*depth=*/0); });
  if (!difference.ok()) return Annotate(difference.status(), name);
  return *std::move(difference);
}

}  // namespace modelport
