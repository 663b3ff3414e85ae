#include "tools/predict/pictures/depth_picture.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/nan_to_num.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/manifest/manifest_facts.h"
#include "common/torchscript/script/torch_status.h"
#include "tools/image/legend.h"

namespace modelport {
namespace {

constexpr Rgb kNoValue = {24, 26, 30};

absl::Span<const float> Values(const at::Tensor& map) {
  return absl::MakeConstSpan(map.const_data_ptr<float>(), map.numel());
}

double Percentile(std::vector<float>& values, double percent) {
  const auto index = std::llround(percent / 100 * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + index, values.end());
  return values[index];
}

std::string LegendText(const Manifest& manifest, const DepthColours& colours) {
  const bool whole = colours.low == 0 && colours.high == 100;
  return absl::StrCat(manifest.model(), ": ", DepthUnit(manifest),
                      whole ? "" : absl::StrCat(", percentiles ", colours.low, " to ", colours.high));
}

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

ValueRange RangeOf(const at::Tensor& map, double low, double high) {
  std::vector<float> finite;
  for (const float value : Values(map)) {
    if (std::isfinite(value)) finite.push_back(value);
  }
  if (finite.empty()) return {};
  return {Percentile(finite, low), Percentile(finite, high)};
}

std::string DepthUnit(const Manifest& manifest) {
  const Manifest::Result& depth = MainOutput(manifest);
  if (depth.unit() == kMetres) return kMetres;
  return absl::StrCat(depth.unit().empty() ? "relative depth" : depth.unit(), ", larger is ", depth.larger_is());
}

Picture DrawDepth(const at::Tensor& depth, const DepthColours& colours, const Manifest& manifest,
                  const Picture* beside) {
  const ValueRange range = colours.range ? *colours.range : RangeOf(depth, colours.low, colours.high);
  const Legend legend = {.map = colours.map,
                         .reversed = MainOutput(manifest).larger_is() == "farther",
                         .min = range.min,
                         .max = range.max,
                         .text = LegendText(manifest, colours),
                         .warning = manifest.warning()};
  const int width = static_cast<int>(depth.size(1)), height = static_cast<int>(depth.size(0));
  const int left = beside == nullptr ? 0 : width;
  Picture picture(left + width, height, kNoValue);
  if (beside != nullptr) picture.Paste(0, 0, *beside);
  const absl::Span<const float> values = Values(depth);
  for (int64_t i = 0; i < static_cast<int64_t>(values.size()); ++i) {
    if (!std::isfinite(values[i])) continue;
    picture.Set(left + static_cast<int>(i % width), static_cast<int>(i / width), LegendColour(legend, values[i]));
  }
  return WithLegend(picture, legend);
}

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
