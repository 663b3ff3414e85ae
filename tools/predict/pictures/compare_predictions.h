#ifndef MODELPORT_TOOLS_PREDICT_PICTURES_COMPARE_PREDICTIONS_H_
#define MODELPORT_TOOLS_PREDICT_PICTURES_COMPARE_PREDICTIONS_H_

#include "absl/status/statusor.h"
#include "tools/image/picture.h"
#include "tools/predict/pictures/depth_picture.h"
#include "tools/predict/run/prediction.h"

namespace modelport {

// How far what a second model says of an image is from what a first one says.
struct Difference {
  double largest = 0;  // Of two elements.
  double mean = 0;     // Of the absolute differences.
  double range = 0;    // Of the first one's elements: largest - smallest.
};

// Compares depth, mattes, features or scores. Elements that are not finite in both in the same way count as infinitely
// far.
//   InvalidArgument   the predictions are of other kinds or shapes
absl::StatusOr<Difference> ComparePredictions(const Prediction& a, const Prediction& b);

// Depth a, depth b in the same colours, and their absolute difference in grey, white being the largest.
Picture DrawComparison(const at::Tensor& a, const at::Tensor& b, const DepthColours& colours, const Manifest& manifest);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PREDICT_PICTURES_COMPARE_PREDICTIONS_H_
