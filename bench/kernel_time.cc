#include "bench/kernel_time.h"

#include <ATen/Parallel.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/rand_like.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "bench/measure.h"

namespace modelport {
namespace {

using torch::jit::Stack;

// An operator that was called with inputs of these shapes.
struct Kernel {
  std::string name;
  Stack inputs;
  int calls = 0;
};

// What the thread has called, by name and shapes.
thread_local std::map<std::string, Kernel>* kernels = nullptr;
// Whether it is within such an operator, which may call others.
thread_local bool is_within = false;

bool IsKernel(const std::string& name) {
  static const auto* const names =
      new std::vector<std::string>{"aten::linear", "aten::addmm",       "aten::mm",
                                   "aten::bmm",    "aten::convolution", "aten::scaled_dot_product_attention"};
  return std::find(names->begin(), names->end(), name) != names->end();
}

std::string Key(const std::string& name, at::ArrayRef<const c10::IValue> inputs) {
  std::ostringstream key;
  key << name;
  for (const c10::IValue& input : inputs) {
    if (input.isTensor()) {
      key << " " << input.toTensor().sizes();
    } else {
      key << " " << input;
    }
  }
  return key.str();
}

struct Within : at::ObserverContext {};

std::unique_ptr<at::ObserverContext> Begin(const at::RecordFunction& function) {
  const std::string name = function.name();
  if (kernels == nullptr || is_within || !IsKernel(name)) return nullptr;
  is_within = true;
  // The interpreter's stack may hold other values below the operator's.
  const auto inputs = function.inputs().slice(function.inputs().size() - function.num_inputs());
  Kernel& kernel = (*kernels)[Key(name, inputs)];
  kernel.name = name;
  kernel.inputs = Stack(inputs.begin(), inputs.end());
  ++kernel.calls;
  return std::make_unique<Within>();
}

void End(const at::RecordFunction&, at::ObserverContext* context) {
  if (context != nullptr) is_within = false;
}

// In the order of `like` in memory, since that of a map decides which convolution LibTorch runs.
at::Tensor Random(const at::Tensor& like) { return at::rand_like(like); }

// Measures calls of an operator whose inputs' tensors are replaced by random ones. `flop` is called with the output.
KernelTime Repeat(const std::string& name, const Stack& inputs, const std::function<double(const at::Tensor&)>& flop) {
  Stack random;
  for (const c10::IValue& input : inputs) {
    const bool is_tensor = input.isTensor() && input.toTensor().defined();
    random.push_back(is_tensor ? c10::IValue(Random(input.toTensor())) : input);
  }
  const c10::OperatorHandle op = c10::Dispatcher::singleton().findSchemaOrThrow(name.c_str(), "");
  KernelTime time;
  const auto call = [&](int times) {
    for (int i = 0; i < times; ++i) {
      Stack stack = random;
      op.callBoxed(stack);
      time.flop = flop(stack[0].toTensor());
    }
  };
  call(1);
  // Linux adds the time of a thread that runs to that of its process every few milliseconds, so that the time of a
  // short call would lack that of the other threads.
  constexpr double kLeastSeconds = 0.05;
  const auto start = std::chrono::steady_clock::now();
  call(1);
  const double once = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const int times = 1 + static_cast<int>(kLeastSeconds / once);
  std::vector<double> seconds;
  constexpr int kRuns = 5;
  for (int i = 0; i < kRuns; ++i) {
    const double before = CpuSeconds();
    call(times);
    seconds.push_back((CpuSeconds() - before) / times);
  }
  time.cpu_seconds = Median(seconds);
  return time;
}

// Of products whose operands have sides of `inner` elements in common.
KernelTime MeasureProduct(const std::string& name, const Stack& inputs, int64_t inner) {
  return Repeat(name, inputs, [&](const at::Tensor& output) { return 2.0 * output.numel() * inner; });
}

KernelTime MeasureConvolution(const Stack& inputs) {
  const at::Tensor input = inputs[0].toTensor(), weight = inputs[1].toTensor();
  const bool is_transposed = inputs[6].toBool();
  return Repeat("aten::convolution", inputs, [&](const at::Tensor& output) {
    // Each element of the larger side meets the weights of one channel of the other.
    return 2.0 * (is_transposed ? input : output).numel() * weight[0].numel();
  });
}

// The weights of all queries would not stay in the cache, so the products of one head are measured for as many queries
// as LibTorch's own kernel takes at once, and on one thread, since each thread of that kernel has queries of its own.
KernelTime MeasureAttention(const Stack& inputs) {
  constexpr int64_t kQueries = 256;
  const at::Tensor query = inputs[0].toTensor(), key = inputs[1].toTensor(), value = inputs[2].toTensor();
  const auto of_one_head = [](const at::Tensor& x) { return x.reshape({-1, x.size(-2), x.size(-1)})[0]; };
  const at::Tensor queries = of_one_head(query).slice(0, 0, kQueries), keys = of_one_head(key).t();
  const at::Tensor weights = at::empty({queries.size(0), key.size(-2)});
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const KernelTime a = MeasureProduct("aten::mm", {queries, keys}, query.size(-1));
  const KernelTime b = MeasureProduct("aten::mm", {weights, of_one_head(value)}, key.size(-2));
  at::set_num_threads(threads);
  const double times = static_cast<double>(query.numel()) / queries.numel();
  return {times * (a.flop + b.flop), times * (a.cpu_seconds + b.cpu_seconds)};
}

KernelTime MeasureOne(const Kernel& kernel) {
  if (kernel.name == "aten::convolution") return MeasureConvolution(kernel.inputs);
  if (kernel.name == "aten::scaled_dot_product_attention") return MeasureAttention(kernel.inputs);
  const at::Tensor first = kernel.inputs[kernel.name == "aten::addmm" ? 1 : 0].toTensor();
  return MeasureProduct(kernel.name, kernel.inputs, first.size(-1));
}

}  // namespace

KernelTime MeasureKernels(const std::function<void()>& function) {
  std::map<std::string, Kernel> found;
  kernels = &found;
  const at::CallbackHandle handle = at::addThreadLocalCallback(
      at::RecordFunctionCallback(Begin, End).needsInputs(true).scopes({at::RecordScope::FUNCTION}));
  function();
  at::removeCallback(handle);
  kernels = nullptr;
  KernelTime sum;
  for (const auto& [key, kernel] : found) {
    const KernelTime one = MeasureOne(kernel);
    sum.flop += kernel.calls * one.flop;
    sum.cpu_seconds += kernel.calls * one.cpu_seconds;
  }
  return sum;
}

}  // namespace modelport
