#ifndef MODELPORT_TOOLS_PREDICT_RUN_RUN_MODEL_H_
#define MODELPORT_TOOLS_PREDICT_RUN_RUN_MODEL_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "tools/image/picture.h"
#include "tools/predict/run/load_artifact.h"
#include "tools/predict/run/prediction.h"

namespace modelport {

// Whether the model takes several views of a scene at once.
bool TakesViews(const LoadedArtifact& artifact);

// Whether the model takes an image together with its trimap.
bool TakesTrimap(const LoadedArtifact& artifact);

// Runs the model on images of one size, which it takes as views of one scene; a model that does not takes one. `size`
// is the resolution that the preprocessing aims at, by default what the manifest recommends. `trimap`, [1, H, W]
// as of ReadTrimap, is defined for a model that takes one.
//   InvalidArgument    several images for a model of one, or of several sizes, or `size` for a model without a
//                      choice, or a trimap of another size, or an image of another size than an ONNX file has fixed
//   FailedPrecondition the model refuses the image, and says why
//   ResourceExhausted  as CheckWorkSize
absl::StatusOr<std::vector<Prediction>> RunModel(const LoadedArtifact& artifact, absl::Span<const Image> images,
                                                 absl::optional<int64_t> size, const at::Tensor& trimap = {});

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

#endif  // MODELPORT_TOOLS_PREDICT_RUN_RUN_MODEL_H_
