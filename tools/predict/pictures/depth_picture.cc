#include "tools/predict/pictures/depth_picture.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/manifest/manifest_facts.h"
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

}  // namespace modelport
