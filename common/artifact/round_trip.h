// The round trip: an artifact is loaded back from its file and compared with the module that was saved.
#ifndef MODELPORT_COMMON_ARTIFACT_ROUND_TRIP_H_
#define MODELPORT_COMMON_ARTIFACT_ROUND_TRIP_H_

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/api/module.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/module_tree/expression.h"
#include "common/tensor/shape.h"

namespace modelport {

// Outputs may differ by this part of their range: some kernels round differently where their input's memory is aligned
// differently. Those that differ by more must be bitwise equal when both modules run on the same tensors.
inline constexpr double kAlignmentTolerance = 1e-6;

// What the round trip compared, all of it successfully.
struct RoundTrip {
  int64_t tensors = 0;  // Bitwise equal.
  int64_t methods = 0;  // Of equal schemas.
  struct Output {
    std::string call;     // "forward([1, 3, 28, 42])"
    double max_abs = 0;   // 0: bitwise equal.
    double relative = 0;  // To the range of the output.
    Shape shape;          // Of an output that is a tensor.
    // Beyond kAlignmentTolerance, but bitwise equal when both modules run on the same tensors.
    bool equal_on_same_memory = false;
  };
  std::vector<Output> outputs;
};

// Loads the TorchScript file `path`.
// `on_bytes` is told of every run of bytes read.
//   DataLoss  LibTorch cannot load it
absl::StatusOr<torch::jit::Module> LoadModule(
    const std::string& path, const std::function<void(int64_t)>& on_bytes = [](int64_t) {});

// The methods of `module` as text, "forward(Tensor x) -> Tensor", sorted. Class names are left out, since loading may
// change them.
std::vector<std::string> MethodSchemas(const torch::jit::Module& module);

// Results of the calls `examples` of `module`, in their order. Runs on the calling thread alone.
absl::StatusOr<std::vector<c10::IValue>> RunExamples(const torch::jit::Module& module,
                                                     const std::vector<Call>& examples);

// Compares every tensor, attribute and method schema of two modules, and the outputs of `examples`, of which
// `expected_outputs` are those of `expected`.
//   DataLoss  names the first thing that differs
absl::StatusOr<RoundTrip> CompareModules(const torch::jit::Module& expected, const torch::jit::Module& actual,
                                         const std::vector<Call>& examples,
                                         const std::vector<c10::IValue>& expected_outputs);

// Loads the file `path` and compares it with `module`, which was saved there. `module`'s own examples run meanwhile.
absl::StatusOr<RoundTrip> ProveRoundTrip(
    const torch::jit::Module& module, const std::string& path, const std::vector<Call>& examples,
    const std::function<void(int64_t)>& on_bytes = [](int64_t) {});

}  // namespace modelport

#endif  // MODELPORT_COMMON_ARTIFACT_ROUND_TRIP_H_
