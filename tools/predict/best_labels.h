#ifndef MODELPORT_TOOLS_PREDICT_BEST_LABELS_H_
#define MODELPORT_TOOLS_PREDICT_BEST_LABELS_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/predict/run/load_artifact.h"

namespace modelport {

// A label of an image.
struct Label {
  int64_t index;
  double probability;
  std::string name;  // Empty: the artifact does not name it.
};

// The five classes with the highest of `scores` [classes], best first, with the names that the artifact's method
// `labels` gives.
//   FailedPrecondition  the method fails, gives something else than names, or another number of them
absl::StatusOr<std::vector<Label>> BestLabels(const LoadedArtifact& artifact, const at::Tensor& scores);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PREDICT_BEST_LABELS_H_
