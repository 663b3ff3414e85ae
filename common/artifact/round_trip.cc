#include "common/artifact/round_trip.h"

#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <caffe2/serialize/file_adapter.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/runtime/profiling_graph_executor_impl.h>
#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>
#include <future>
#include <map>
#include <memory>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/artifact/compare_values.h"
#include "common/artifact/example.h"
#include "common/script/torch_status.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

using torch::jit::Module;

// A file that tells how much of it was read.
class CountingReader : public caffe2::serialize::ReadAdapterInterface {
 public:
  CountingReader(const std::string& path, const std::function<void(int64_t)>& on_bytes)
      : file_(path), on_bytes_(on_bytes) {}

  size_t size() const override { return file_.size(); }
  size_t read(uint64_t position, void* buffer, size_t size, const char* what) const override {
    on_bytes_(size);
    return file_.read(position, buffer, size, what);
  }

 private:
  caffe2::serialize::FileAdapter file_;
  const std::function<void(int64_t)>& on_bytes_;
};

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

// `call` of `expected`, run on the tensors of `actual`, which are equal to its own but for their places in memory.
absl::StatusOr<c10::IValue> RunOnTensorsOf(const Module& actual, const Module& expected, const Call& call) {
  ExchangeTensors(expected, actual);
  absl::StatusOr<std::vector<c10::IValue>> outputs = RunExamples(expected, {call});
  ExchangeTensors(expected, actual);
  RETURN_IF_ERROR(outputs.status());
  return outputs->front();
}

Shape OutputShape(const c10::IValue& output) { return output.isTensor() ? output.toTensor().sizes().vec() : Shape(); }

}  // namespace

absl::StatusOr<Module> LoadModule(const std::string& path, const std::function<void(int64_t)>& on_bytes) {
  auto module =
      CatchTorch([&] { return torch::jit::load(std::make_unique<CountingReader>(path, on_bytes), at::kCPU); });
  if (!module.ok()) {
    return absl::DataLossError(absl::StrCat(path, ": LibTorch cannot load it: ", module.status().message()));
  }
  return module;
}

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

absl::StatusOr<std::vector<c10::IValue>> RunExamples(const Module& module, const std::vector<Call>& examples) {
  // A few small calls: optimising their graphs, or sharing them between threads, would take longer than running them.
  torch::jit::getProfilingMode() = false;
  torch::jit::setGraphExecutorOptimize(false);
  at::set_num_threads(1);
  const c10::InferenceMode inference;
  std::vector<c10::IValue> outputs;
  for (const Call& call : examples) {
    ASSIGN_OR_RETURN(outputs.emplace_back(), RunExample(module, call));
  }
  return outputs;
}

absl::StatusOr<RoundTrip> CompareModules(const Module& expected, const Module& actual,
                                         const std::vector<Call>& examples,
                                         const std::vector<c10::IValue>& expected_outputs) {
  std::future<absl::StatusOr<std::vector<c10::IValue>>> running =
      std::async(std::launch::async, RunExamples, std::cref(actual), std::cref(examples));
  RoundTrip result;
  ASSIGN_OR_RETURN(result.tensors, CompareStates(expected, actual));
  ASSIGN_OR_RETURN(result.methods, CompareClasses(expected, actual));
  ASSIGN_OR_RETURN(const std::vector<c10::IValue> outputs, running.get());
  for (size_t i = 0; i < examples.size(); ++i) {
    const std::string& call = examples[i].text;
    ASSIGN_OR_RETURN(Difference difference, CompareValues(expected_outputs[i], outputs[i], call));
    result.outputs.push_back({call, difference.max_abs, difference.relative, OutputShape(outputs[i])});
    if (difference.relative <= kAlignmentTolerance) continue;
    // A network may magnify rounding without bound: then equal memory must give equal bits.
    ASSIGN_OR_RETURN(const c10::IValue output, RunOnTensorsOf(actual, expected, examples[i]));
    ASSIGN_OR_RETURN(difference, CompareValues(output, outputs[i], call));
    result.outputs.back().equal_on_same_memory = difference.max_abs == 0;
    if (difference.max_abs == 0) continue;
    return absl::DataLossError(absl::StrCat(call, " differs by ", difference.max_abs, ", ", difference.relative,
                                            " of its range, on equal tensors"));
  }
  return result;
}

absl::StatusOr<RoundTrip> ProveRoundTrip(const Module& module, const std::string& path,
                                         const std::vector<Call>& examples,
                                         const std::function<void(int64_t)>& on_bytes) {
  std::future<absl::StatusOr<std::vector<c10::IValue>>> expected =
      std::async(std::launch::async, RunExamples, std::cref(module), std::cref(examples));
  ASSIGN_OR_RETURN(const Module loaded, LoadModule(path, on_bytes));
  ASSIGN_OR_RETURN(const std::vector<c10::IValue> expected_outputs, expected.get());
  return CompareModules(module, loaded, examples, expected_outputs);
}

}  // namespace modelport
