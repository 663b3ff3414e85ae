#ifndef MODELPORT_COMMON_PARITY_COMPARE_REFERENCE_H_
#define MODELPORT_COMMON_PARITY_COMPARE_REFERENCE_H_

#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "common/parity/reference.h"
#include "common/tensor/shape.h"

namespace modelport {

// A tensor of a reference and the module's own.
struct ComparedTensor {
  std::string name;       // As in Reference::expected.
  Shape shape;            // Of the reference's.
  double difference = 0;  // Largest absolute difference of two elements.
  double tolerance = 0;   // What it may be at most.
  // Why the two cannot be compared element by element: "wants shape [1, 28], has [1, 56]"; empty if they can.
  std::string obstacle = "";

  bool passed() const { return obstacle.empty() && difference <= tolerance; }
};

struct ReferenceComparison {
  std::vector<ComparedTensor> tensors;  // One for each of Reference::expected, in its order.
  std::vector<std::string> unexpected;  // Outputs of the module that the reference lacks: "output.sky".
};

// Calls `module` as `reference` says and compares what comes out.
//
// A difference may be as large as rounding in other kernels makes it. Rounding is measured: 4 times the largest
// difference between the module and a copy in float64, on the same input. The reference's values have no part in that
// but one: the bound is at least 4e-6 and at most 1e-3 of the reference's largest absolute element, and in half
// precision at least 1 and at most 16 of the dtype's epsilon where that is more. If `tolerance` is given, it is
// `tolerance` times that element instead. Tensors of integers and booleans must be equal.
//   InvalidArgument     no such method, argument or output; an argument that is missing or of another type or dtype
//   NotFound            a stage that is not called
//   FailedPrecondition  the module fails on these inputs, does not run in float64 (`tolerance` cures that), or calls a
//                       stage several times
absl::StatusOr<ReferenceComparison> CompareReference(const torch::jit::Module& module, const Reference& reference,
                                                     absl::optional<double> tolerance = absl::nullopt);

}  // namespace modelport

#endif  // MODELPORT_COMMON_PARITY_COMPARE_REFERENCE_H_
