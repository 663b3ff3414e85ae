// Pictures of what a model says of images: depth in colours, mattes over their images, and outputs with several numbers
// for each pixel, features and normals.
#ifndef MODELPORT_TOOLS_PREDICT_PICTURES_PICTURES_H_
#define MODELPORT_TOOLS_PREDICT_PICTURES_PICTURES_H_

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "common/manifest/manifest.pb.h"
#include "tools/image/colour_map.h"
#include "tools/image/legend.h"
#include "tools/image/picture.h"
#include "tools/predict/run/prediction.h"
#include "tools/predict/run/prompt.h"

namespace modelport {

// From the `low`-th to the `high`-th percentile of the finite values of `map`; zeros if there are none.
ValueRange RangeOf(const at::Tensor& map, double low, double high);

// The range for pictures of all these maps, and of those that come later: from the least to the largest end of RangeOf,
// or of all finite values if these percentiles are one value. If all are one value, the other end is 0, or 1 for the
// value 0. nullopt if no map has a finite value.
absl::optional<ValueRange> CommonRange(const std::vector<at::Tensor>& maps, double low, double high);

inline constexpr char kMetres[] = "metres";

// What the depths of a model are: "metres" or "relative depth, larger is nearer"; where knobs of a node were turned,
// nobody says.
std::string DepthUnit(const Manifest& manifest);

// How depth is drawn.
struct DepthColours {
  ColourMap map;
  double low = 0;  // The percentiles of the depth that get the first and the last colour, without `range`.
  double high = 100;
  absl::optional<ValueRange> range = absl::nullopt;  // The depths that do.
};

// The depth [H, W] in colours, the last one nearest, above a legend; `beside` is drawn to its left if it is not null,
// and has its size. Values that are not finite are dark.
Picture DrawDepth(const at::Tensor& depth, const DepthColours& colours, const Manifest& manifest,
                  const Picture* beside = nullptr);

// The image, and to its right the image with the matte [H, W] over it in red, and the prompt in it: points as squares,
// green in what is meant and blue in what is not, a box as a frame.
Picture DrawMatte(const Picture& image, const at::Tensor& matte, const Prompt& prompt);

// How far what a second model says of an image is from what a first one says.
struct PredictionDifference {
  double largest = 0;  // Of two elements.
  double mean = 0;     // Of the absolute differences.
  double range = 0;    // Of the first one's elements: largest - smallest.
};

// Compares depth, mattes, images, normals of nodes, features or scores. Elements that are not finite in both in the
// same way count as infinitely far.
//   InvalidArgument   the predictions are of other kinds or shapes
absl::StatusOr<PredictionDifference> ComparePredictions(const Prediction& a, const Prediction& b);

// The absolute difference of two predictions that ComparePredictions takes, the largest of all channels, [h, w].
at::Tensor DifferenceMap(const Prediction& a, const Prediction& b);

// Pictures of one size of what two models say, and to their right how far they differ, [h, w], in grey above a legend,
// white being the largest. `warning` stands in the legend.
Picture DrawComparison(const Picture& a, const Picture& b, const at::Tensor& difference, const std::string& warning);

// The same of depth, both in the same colours.
Picture DrawDepthComparison(const Prediction& a, const Prediction& b, const DepthColours& colours,
                            const Manifest& manifest);

// The three principal components of features [C, h, w], of the largest variance first, as [3, h, w]. The sign of each
// is such that the channel with the most weight in it counts positively, so that equal features give equal components.
// Components that the features do not have are 0.
//   FailedPrecondition   features that are not finite
absl::StatusOr<at::Tensor> PrincipalComponents(const at::Tensor& features);

// The components as red, green and blue, each from its smallest to its largest value, enlarged to `width` x `height`
// without interpolation: each patch of the model is a box.
absl::StatusOr<Picture> DrawFeatures(const at::Tensor& features, int width, int height);

// Unit normals [3, H, W] (x right, y down, z forward; 0 where there is none) in the colours of normal maps: red points
// right, green up and blue to the camera, from -1 as 0 to 1 as 255. No normal is grey.
Picture DrawNormals(const at::Tensor& normals);

// The length in pixels of the longest motion of the frame `flow` [2, H, W] (right, down); 0 if none is finite.
double LongestMotion(const at::Tensor& flow);

// Motion [2, H, W] (right, down, in pixels) in colours: the hue is its direction, red to the right, green upward to the
// left, blue downward to the left, and white is rest; motion of `full` pixels and more has its full colour. What is not
// finite is black.
Picture DrawFlow(const at::Tensor& flow, double full);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PREDICT_PICTURES_PICTURES_H_
