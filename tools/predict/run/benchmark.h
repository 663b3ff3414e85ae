#ifndef MODELPORT_TOOLS_PREDICT_RUN_BENCHMARK_H_
#define MODELPORT_TOOLS_PREDICT_RUN_BENCHMARK_H_

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "tools/image/picture.h"
#include "tools/predict/run/load_artifact.h"

namespace modelport {

// What one image costs: the call of the artifact alone, with its preprocessing, without reading and writing files.
struct Benchmark {
  int runs = 0;  // Measured, after two that are not.
  double median_seconds = 0;
  double p90_seconds = 0;  // Nine of ten runs take no longer.
  double peak_memory = 0;  // Of the process until now, in bytes.
};

// Runs the model on `image`, and `trimap` for a model that takes one, at least ten times, and for at least three
// seconds. Errors as for RunModel.
absl::StatusOr<Benchmark> MeasureModel(const LoadedArtifact& artifact, const Image& image, absl::optional<int64_t> size,
                                       const at::Tensor& trimap = {});

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PREDICT_RUN_BENCHMARK_H_
