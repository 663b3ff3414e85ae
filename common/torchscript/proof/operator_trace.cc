#include "common/torchscript/proof/operator_trace.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/enum_tag.h>
#include <ATen/record_function.h>
#include <c10/core/ScalarType.h>
#include <torch/csrc/jit/runtime/interpreter.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <sstream>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/torchscript/weights/count_values.h"

namespace modelport {
namespace {

// The trace that this thread records; null if it records none.
thread_local std::vector<OperatorRun>* runs = nullptr;

bool ReturnsUninitialisedMemory(absl::string_view name) {
  for (const char* operator_name : {"aten::empty", "aten::empty_like", "aten::empty_strided", "aten::new_empty",
                                    "aten::new_empty_strided", "aten::resize_", "aten::resize_as_"}) {
    if (name == operator_name) return true;
  }
  return false;
}

// The inputs or the outputs of an operator.
struct Values {
  std::string text;
  uint64_t digest = 0;
  bool has_nonfinite = false;
};

uint64_t Combine(uint64_t digest, std::string_view bytes) { return 31 * digest + std::hash<std::string_view>()(bytes); }

bool HasReadableElements(const at::Tensor& tensor) {
  return tensor.defined() && tensor.layout() == at::kStrided && tensor.is_cpu();
}

std::string AddTensor(const at::Tensor& tensor, Values& values) {
  if (!tensor.defined()) return "None";
  if (HasReadableElements(tensor)) {
    // The digest takes elements in the order of memory, which avoids copies of transposed weights.
    const at::Tensor dense = tensor.is_non_overlapping_and_dense() ? tensor : tensor.contiguous();
    const std::string_view bytes(static_cast<const char*>(dense.const_data_ptr()), dense.nbytes());
    values.digest = Combine(Combine(values.digest, absl::StrJoin(dense.strides(), ",")), bytes);
    values.has_nonfinite |= CountNonfinite(dense) > 0;
  }
  return absl::StrCat(std::string(c10::getDtypeNames(tensor.scalar_type()).first), " [",
                      absl::StrJoin(tensor.sizes(), ", "), "]");
}

// Describes one value and adds the bits of its tensors to `values`.
std::string Add(const c10::IValue& value, Values& values) {
  if (value.isTensor()) return AddTensor(value.toTensor(), values);
  if (value.isDouble()) return absl::StrCat(value.toDouble());
  if (value.isList()) {
    std::vector<std::string> items;
    for (const c10::IValue& item : value.toListRef()) items.push_back(Add(item, values));
    return absl::StrCat("[", absl::StrJoin(items, ", "), "]");
  }
  if (!value.isInt() && !value.isBool() && !value.isNone()) return value.tagKind();
  std::ostringstream text;
  text << value;
  return text.str();
}

// Describes the last `count` values of `stack`. If TorchScript calls the operator, other values lie below its own.
Values Describe(absl::Span<const c10::IValue> stack, size_t count) {
  Values values;
  std::vector<std::string> texts;
  for (const c10::IValue& value : stack.subspan(stack.size() - std::min(count, stack.size())))
    texts.push_back(Add(value, values));
  values.text = absl::StrJoin(texts, ", ");
  values.digest = Combine(values.digest, values.text);
  return values;
}

bool IsRandom(const at::RecordFunction& function) {
  const auto name = function.operator_name();
  if (!name) return false;
  const auto found = c10::Dispatcher::singleton().findSchema(*name);
  return found && found->hasTag(at::Tag::nondeterministic_seeded);
}

// The line that TorchScript's interpreter is at, in the innermost function that comes from a file; empty if it does not
// run. LibTorch's own functions, such as the one for 1 / x, come from no file.
SourceLine CurrentLine() {
  const std::vector<torch::jit::StackEntry> calls = torch::jit::currentCallstack();
  for (const torch::jit::StackEntry& call : calls) {
    SourceLine line = FindSourceLine(call.range);
    if (!line.place.empty() && line.place.front() != '<') return line;
  }
  return calls.empty() ? SourceLine() : FindSourceLine(calls.front().range);
}

// An operator between its start and its end.
struct Started : at::ObserverContext {
  OperatorRun run;
  bool has_nonfinite = false;
};

std::unique_ptr<at::ObserverContext> Start(const at::RecordFunction& function) {
  const at::DisableRecordFunctionGuard own_operators;
  const auto stack = absl::MakeConstSpan(function.inputs().data(), function.inputs().size());
  const Values inputs = Describe(stack, function.num_inputs());
  auto started = std::make_unique<Started>();
  started->run.name = function.name();
  started->run.call = absl::StrCat(function.name(), "(", inputs.text, ")");
  started->run.input_digest = inputs.digest;
  started->run.is_random = IsRandom(function);
  started->has_nonfinite = inputs.has_nonfinite;
  return started;
}

void End(const at::RecordFunction& function, at::ObserverContext* context) {
  if (ReturnsUninitialisedMemory(function.name())) return;
  const at::DisableRecordFunctionGuard own_operators;
  Started& started = *static_cast<Started*>(context);
  const Values outputs = Describe(function.outputs(), function.num_outputs());
  started.run.output_digest = outputs.digest;
  started.run.makes_nonfinite = outputs.has_nonfinite && !started.has_nonfinite;
  if (started.run.makes_nonfinite) started.run.line = CurrentLine();
  runs->push_back(std::move(started.run));
}

}  // namespace

std::vector<OperatorRun> TraceOperators(const std::function<void()>& function) {
  std::vector<OperatorRun> trace;
  runs = &trace;
  const at::CallbackHandle handle = at::addThreadLocalCallback(at::RecordFunctionCallback(&Start, &End)
                                                                   .scopes({at::RecordScope::FUNCTION})
                                                                   .needsInputs(true)
                                                                   .needsOutputs(true));
  function();
  at::removeCallback(handle);
  runs = nullptr;
  return trace;
}

}  // namespace modelport
