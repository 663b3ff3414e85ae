#include "common/artifact/example.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/runtime/profiling_graph_executor_impl.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/checkpoint/seeded.h"
#include "common/script/ivalue.h"
#include "common/script/torch_status.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

at::Tensor SeededInput(const std::string& name, const std::vector<int64_t>& shape, at::ScalarType dtype) {
  at::Tensor tensor = at::empty(shape, at::kFloat);
  SeededFill(absl::StrCat("input:", name), /*seed=*/0, /*center=*/0.0, /*spread=*/1.0,
             absl::MakeSpan(tensor.mutable_data_ptr<float>(), tensor.numel()));
  return tensor.to(dtype);
}

at::ScalarType ParameterType(const torch::jit::Module& module) {
  for (const at::Tensor& parameter : module.parameters()) return parameter.scalar_type();
  return at::kFloat;
}

}  // namespace

absl::StatusOr<std::vector<c10::IValue>> ExampleInputs(const torch::jit::Module& module, const Call& call) {
  const auto method = module.find_method(call.type);
  if (!method) return absl::InvalidArgumentError(absl::StrCat("example ", call.text, ": no such method"));
  const auto& arguments = method->function().getSchema().arguments();
  if (call.positional.size() + 1 > arguments.size() || !call.named.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("example ", call.text, ": ", call.type, " takes ",
                                                   arguments.size() - 1, " arguments, given by position"));
  }
  std::vector<c10::IValue> inputs;
  for (size_t i = 0; i < call.positional.size(); ++i) {
    ASSIGN_OR_RETURN(const Value value, call.positional[i].Evaluate({}));
    const c10::Argument& argument = arguments[i + 1];  // After self.
    const auto* list = std::get_if<std::vector<int64_t>>(&value);
    if (list != nullptr && argument.type()->isSubtypeOf(*c10::TensorType::get())) {
      inputs.push_back(SeededInput(argument.name(), *list, ParameterType(module)));
    } else {
      inputs.push_back(ToIValue(value));
    }
  }
  return inputs;
}

absl::StatusOr<std::vector<c10::IValue>> RunExamples(const torch::jit::Module& module,
                                                     const std::vector<Call>& examples) {
  // A few small calls: optimising their graphs, or sharing them between threads, would take longer than running them.
  torch::jit::getProfilingMode() = false;
  torch::jit::setGraphExecutorOptimize(false);
  at::set_num_threads(1);
  const c10::InferenceMode inference;
  std::vector<c10::IValue> outputs;
  for (const Call& call : examples) {
    ASSIGN_OR_RETURN(const std::vector<c10::IValue> inputs, ExampleInputs(module, call));
    ASSIGN_OR_RETURN(c10::IValue output, CatchTorch([&] { return module.get_method(call.type)(inputs); }));
    outputs.push_back(std::move(output));
  }
  return outputs;
}

}  // namespace modelport
