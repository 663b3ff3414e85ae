#include "common/torchscript/proof/example.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/Exception.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

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

absl::StatusOr<std::vector<c10::IValue>> Inputs(const torch::jit::Module& module, const Call& call) {
  const auto method = module.find_method(call.type);
  if (!method) {
    return ExampleError(call, absl::StrCat("no method ", call.type, NearestHint(call.type, MethodNames(module))));
  }
  const c10::FunctionSchema& schema = method->function().getSchema();
  if (call.positional.size() + 1 > schema.arguments().size() || !call.named.empty()) {
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

}  // namespace

absl::StatusOr<std::vector<c10::IValue>> ExampleInputs(const torch::jit::Module& module, const Call& call) {
  absl::StatusOr<absl::StatusOr<std::vector<c10::IValue>>> inputs = CatchTorch([&] { return Inputs(module, call); });
  if (!inputs.ok()) return Annotate(inputs.status(), ExampleName(call));
  return *std::move(inputs);
}

absl::StatusOr<c10::IValue> RunExample(const torch::jit::Module& module, const Call& call) {
  ASSIGN_OR_RETURN(const std::vector<c10::IValue> inputs, ExampleInputs(module, call));
  NoWarnings no_warnings;
  const c10::WarningUtils::WarningHandlerGuard guard(&no_warnings);
  absl::StatusOr<c10::IValue> output = CatchTorch([&] { return module.get_method(call.type)(inputs); });
  if (output.ok()) return output;
  if (absl::IsInternal(output.status())) {
    return ExampleError(call, CauseFirst(std::string(output.status().message())));
  }
  return Annotate(output.status(), ExampleName(call));
}

absl::StatusOr<std::vector<c10::IValue>> RunExamples(const torch::jit::Module& module,
                                                     const std::vector<Call>& examples) {
  // Optimising the graphs of a few small calls, or running them on several threads, would take longer than the calls.
  const torch::jit::GraphOptimizerEnabledGuard optimiser_off(/*state=*/false);
  at::set_num_threads(1);
  const c10::InferenceMode inference;
  std::vector<c10::IValue> outputs;
  for (const Call& call : examples) {
    ASSIGN_OR_RETURN(outputs.emplace_back(), RunExample(module, call));
  }
  return outputs;
}

}  // namespace modelport
