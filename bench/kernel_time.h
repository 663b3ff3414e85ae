#ifndef MODELPORT_BENCH_KERNEL_TIME_H_
#define MODELPORT_BENCH_KERNEL_TIME_H_

#include <functional>

namespace modelport {

// The matrix products and convolutions of a run.
struct KernelTime {
  double flop = 0;         // Of all: two for a multiplication and its addition.
  double cpu_seconds = 0;  // Of all, when each runs alone on dense tensors in their order in memory: medians of 5.
};

// Calls `function`, whose operators this thread runs, and measures its matrix products and convolutions one by one.
// Attention counts as its two matrix products, which are measured for one head and at most 256 queries, on one thread.
// All else uses the threads of at::set_num_threads.
KernelTime MeasureKernels(const std::function<void()>& function);

}  // namespace modelport

#endif  // MODELPORT_BENCH_KERNEL_TIME_H_
