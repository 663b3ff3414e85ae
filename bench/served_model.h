#ifndef MODELPORT_BENCH_SERVED_MODEL_H_
#define MODELPORT_BENCH_SERVED_MODEL_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <iostream>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "bench/kernel_time.h"

namespace modelport {

// The model in a ModelProcess, whose header describes the lines that it answers.
class ServedModel {
 public:
  virtual ~ServedModel() = default;

  // Makes ready to run with so many threads; not measured.
  virtual absl::Status SetThreads(int threads) = 0;

  // Calls the model. An input is a float32 tensor or an integer.
  virtual absl::Status Run(const std::vector<c10::IValue>& inputs) = 0;

  // The output of the last call; that of this name if there are several.
  virtual absl::StatusOr<at::Tensor> LastOutput(absl::string_view name) = 0;

  virtual absl::StatusOr<KernelTime> Kernels(const std::vector<c10::IValue>&) {
    return absl::UnimplementedError("its kernels are not measured");
  }
};

// Says that the model is ready, and answers the lines of `questions` until they end.
//   InvalidArgument  no such line
//   others           as the model's
absl::Status Serve(ServedModel& model, std::istream& questions, std::ostream& answers);

}  // namespace modelport

#endif  // MODELPORT_BENCH_SERVED_MODEL_H_
