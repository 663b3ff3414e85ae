#include "tools/predict/pictures/compare_predictions.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/nan_to_num.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/manifest/manifest_facts.h"
#include "common/torchscript/script/torch_status.h"
#include "tools/image/legend.h"

namespace modelport {
namespace {

// What the model says, whichever kind it is.
const at::Tensor& Main(const Prediction& prediction) {
  if (prediction.depth.defined()) return prediction.depth;
  if (prediction.alpha.defined()) return prediction.alpha;
  return prediction.features.defined() ? prediction.features : prediction.scores;
}

at::Tensor AbsoluteDifference(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor same = at::logical_or(a == b, at::logical_and(a.isnan(), b.isnan()));
  const at::Tensor difference = at::where(same, at::zeros({}), (a - b).abs());
  return at::nan_to_num(difference, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity());
}

Difference Compare(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor difference = AbsoluteDifference(a, b).to(at::kDouble);
  return {difference.max().item<double>(), difference.mean().item<double>(), (a.max() - a.min()).item<double>()};
}

Picture DrawPanel(const at::Tensor& map, const Legend& legend) {
  const auto values = map.accessor<float, 2>();
  Picture picture(static_cast<int>(map.size(1)), static_cast<int>(map.size(0)), {});
  for (int y = 0; y < picture.height(); ++y) {
    for (int x = 0; x < picture.width(); ++x) picture.Set(x, y, LegendColour(legend, values[y][x]));
  }
  return picture;
}

}  // namespace

absl::StatusOr<Difference> ComparePredictions(const Prediction& a, const Prediction& b) {
  const at::Tensor &first = Main(a), &second = Main(b);
  if (first.sizes() != second.sizes()) {
    return absl::InvalidArgumentError(absl::StrCat("the two artifacts give other outputs, of ", first.dim(),
                                                   " dimensions and ", first.numel(), " elements, and of ",
                                                   second.dim(), " and ", second.numel(), ": they cannot be compared"));
  }
  return CatchTorch([&] { return Compare(first, second); });
}

Picture DrawComparison(const at::Tensor& a, const at::Tensor& b, const DepthColours& colours,
                       const Manifest& manifest) {
  const ValueRange range = colours.range ? *colours.range : RangeOf(a, colours.low, colours.high);
  const Legend legend = {.map = colours.map,
                         .reversed = MainOutput(manifest).larger_is() == "farther",
                         .min = range.min,
                         .max = range.max,
                         .text = absl::StrCat("left and middle: ", DepthUnit(manifest)),
                         .warning = manifest.warning()};
  const at::Tensor difference = AbsoluteDifference(a, b).contiguous();
  const Legend grey = {.map = *FindColourMap("grey"),
                       .max = RangeOf(difference, 0, 100).max,
                       .text = "right: their absolute difference",
                       .warning = ""};
  const int width = static_cast<int>(a.size(1)), height = static_cast<int>(a.size(0));
  Picture panels(3 * width, height, {});
  panels.Paste(0, 0, DrawPanel(a, legend));
  panels.Paste(width, 0, DrawPanel(b, legend));
  panels.Paste(2 * width, 0, DrawPanel(difference, grey));
  return WithLegend(WithLegend(panels, legend), grey);
}

}  // namespace modelport
