#include "tools/predict/pictures/pictures.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/linalg_eigh.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/nan_to_num.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/manifest/manifest_facts.h"
#include "common/status/status_macros.h"
#include "common/torchscript/script/torch_status.h"

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

// Of the map's finite values; nullopt if it has none.
absl::optional<ValueRange> FiniteRange(const at::Tensor& map, double low, double high) {
  std::vector<float> finite;
  for (const float value : Values(map)) {
    if (std::isfinite(value)) finite.push_back(value);
  }
  if (finite.empty()) return absl::nullopt;
  return ValueRange{Percentile(finite, low), Percentile(finite, high)};
}

std::string LegendText(const Manifest& manifest, const DepthColours& colours) {
  const bool whole = colours.low == 0 && colours.high == 100;
  return absl::StrCat(manifest.request().model(), ": ", DepthUnit(manifest),
                      whole ? "" : absl::StrCat(", percentiles ", colours.low, " to ", colours.high));
}

// What the model says, whichever kind it is.
at::Tensor Prediction::*KindOf(const Prediction& prediction) {
  for (at::Tensor Prediction::*kind : {&Prediction::depth, &Prediction::alpha, &Prediction::node_normals,
                                       &Prediction::colour, &Prediction::flow, &Prediction::features}) {
    if ((prediction.*kind).defined()) return kind;
  }
  return &Prediction::scores;
}

at::Tensor AbsoluteDifference(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor same = at::logical_or(a == b, at::logical_and(a.isnan(), b.isnan()));
  const at::Tensor difference = at::where(same, at::zeros({}), (a - b).abs());
  return at::nan_to_num(difference, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity());
}

PredictionDifference Compare(const at::Tensor& a, const at::Tensor& b) {
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

Legend GreyLegend(const at::Tensor& difference, const std::string& warning) {
  return {.map = *FindColourMap("grey"),
          .max = RangeOf(difference, 0, 100).max,
          .text = "right: their absolute difference",
          .warning = warning};
}

// Two pictures of one size, and to their right `map` [h, w], enlarged to that size without interpolation.
Picture Panels(const Picture& a, const Picture& b, const at::Tensor& map, const Legend& legend) {
  const int width = a.width(), height = a.height();
  Picture panels(3 * width, height, {});
  panels.Paste(0, 0, a);
  panels.Paste(width, 0, b);
  const auto values = map.accessor<float, 2>();
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      panels.Set(2 * width + x, y, LegendColour(legend, values[y * map.size(0) / height][x * map.size(1) / width]));
    }
  }
  return panels;
}

constexpr int64_t kComponents = 3;

at::Tensor Components(const at::Tensor& features) {
  const int64_t channels = features.size(0), height = features.size(1), width = features.size(2);
  const at::Tensor patches = features.reshape({channels, -1}).to(at::kDouble);
  const at::Tensor centred = patches - patches.mean(1, /*keepdim=*/true);
  // Eigenvalues come in ascending order.
  const auto [variances, directions] = at::linalg_eigh(at::matmul(centred, centred.t()));
  at::Tensor components = at::zeros({kComponents, height, width}, at::kDouble);
  const double largest = variances[channels - 1].item<double>();
  for (int64_t i = 0; i < std::min(kComponents, channels); ++i) {
    // Rounding alone gives a direction to a variance of 0.
    if (variances[channels - 1 - i].item<double>() <= 1e-12 * largest) break;
    const at::Tensor direction = directions.select(1, channels - 1 - i);
    const at::Tensor sign = direction[direction.abs().argmax().item<int64_t>()].sign();
    components[i] = at::matmul(direction * sign, centred).reshape({height, width});
  }
  return components.to(at::kFloat);
}

// Each component from 0 to 1; a constant one is 0.5.
at::Tensor Normalised(const at::Tensor& components) {
  const at::Tensor min = components.amin({1, 2}, /*keepdim=*/true), max = components.amax({1, 2}, /*keepdim=*/true);
  return at::where(max > min, (components - min) / (max - min), at::full({}, 0.5f)).contiguous();
}

// -1 to 1 as 0 to 255; what is no number as 0 is.
uint8_t Byte(float part) {
  const float value = std::isnan(part) ? 0.0f : std::clamp(part, -1.0f, 1.0f);
  return static_cast<uint8_t>(std::lround((value + 1) / 2 * 255));
}

double Length(double x, double y) { return std::sqrt(x * x + y * y); }

// The hue of an angle in radians, 0 being red and a third of a turn green, mixed with white.
Rgb DirectionColour(double angle, double saturation) {
  Rgb colour;
  for (int c = 0; c < 3; ++c) {
    // How far this primary is from the angle, in sixths of a turn: up to 1 it is full, from 2 on it is absent.
    const double sixths = std::abs(std::remainder(angle * 3 / M_PI - 2 * c, 6.0));
    const double hue = std::clamp(2 - sixths, 0.0, 1.0);
    colour[c] = static_cast<uint8_t>(std::lround(255 * (1 - std::min(saturation, 1.0) * (1 - hue))));
  }
  return colour;
}

}  // namespace

ValueRange RangeOf(const at::Tensor& map, double low, double high) {
  return FiniteRange(map, low, high).value_or(ValueRange{});
}

absl::optional<ValueRange> CommonRange(const std::vector<at::Tensor>& maps, double low, double high) {
  absl::optional<ValueRange> all;
  for (const at::Tensor& map : maps) {
    const absl::optional<ValueRange> one = FiniteRange(map, low, high);
    if (one && all) {
      all = ValueRange{std::min(all->min, one->min), std::max(all->max, one->max)};
    } else if (one) {
      all = one;
    }
  }
  if (!all || all->min < all->max) return all;
  if (low > 0 || high < 100) return CommonRange(maps, 0, 100);
  const double value = all->min;
  return value == 0 ? ValueRange{0, 1} : ValueRange{std::min(value, 0.0), std::max(value, 0.0)};
}

std::string DepthUnit(const Manifest& manifest) {
  const Manifest::Result& depth = MainOutput(manifest);
  if (depth.unit() == kMetres) return kMetres;
  if (depth.larger_is().empty()) return "as the knobs make it";
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

Picture DrawMatte(const Picture& image, const at::Tensor& matte, const Prompt& prompt) {
  constexpr Rgb kOver = {255, 40, 40}, kMeant = {40, 255, 80}, kNotMeant = {60, 120, 255};
  constexpr double kStrength = 0.6;
  const int width = image.width(), height = image.height();
  Picture shown = image;
  const auto values = matte.accessor<float, 2>();
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double over = kStrength * std::clamp(values[y][x], 0.0f, 1.0f);
      Rgb colour = shown.Get(x, y);
      for (size_t i = 0; i < colour.size(); ++i) {
        colour[i] = static_cast<uint8_t>(std::lround(colour[i] + over * (kOver[i] - colour[i])));
      }
      shown.Set(x, y, colour);
    }
  }
  const int mark = std::max(1, std::min(width, height) / 100);  // Half the side of a point, and the width of a frame.
  const auto fill = [&](double left, double top, double right, double bottom, Rgb colour) {
    for (int y = std::max(0, static_cast<int>(top)); y < std::min<int>(height, static_cast<int>(bottom)); ++y) {
      for (int x = std::max(0, static_cast<int>(left)); x < std::min<int>(width, static_cast<int>(right)); ++x) {
        shown.Set(x, y, colour);
      }
    }
  };
  for (size_t i = 0; i < prompt.size(); ++i) {
    const PromptPoint& point = prompt[i];
    if (point.kind == PointKind::kBoxTopLeft && i + 1 < prompt.size()) {
      const PromptPoint& end = prompt[i + 1];
      fill(point.x, point.y, end.x, point.y + mark, kMeant);
      fill(point.x, end.y - mark, end.x, end.y, kMeant);
      fill(point.x, point.y, point.x + mark, end.y, kMeant);
      fill(end.x - mark, point.y, end.x, end.y, kMeant);
    } else if (point.kind == PointKind::kForeground || point.kind == PointKind::kBackground) {
      fill(point.x - mark, point.y - mark, point.x + mark, point.y + mark,
           point.kind == PointKind::kForeground ? kMeant : kNotMeant);
    }
  }
  Picture both(2 * width, height, {});
  both.Paste(0, 0, image);
  both.Paste(width, 0, shown);
  return both;
}

absl::StatusOr<PredictionDifference> ComparePredictions(const Prediction& a, const Prediction& b) {
  const at::Tensor &first = a.*KindOf(a), &second = b.*KindOf(b);
  if (KindOf(a) != KindOf(b)) {
    return absl::InvalidArgumentError("the two artifacts give outputs of other kinds: they cannot be compared");
  }
  if (first.sizes() != second.sizes()) {
    return absl::InvalidArgumentError(absl::StrCat("the two artifacts give other outputs, of ", first.dim(),
                                                   " dimensions and ", first.numel(), " elements, and of ",
                                                   second.dim(), " and ", second.numel(), ": they cannot be compared"));
  }
  return CatchTorch([&] { return Compare(first, second); });
}

at::Tensor DifferenceMap(const Prediction& a, const Prediction& b) {
  const at::Tensor difference = AbsoluteDifference(a.*KindOf(a), b.*KindOf(b));
  return (difference.dim() == 3 ? difference.amax(0) : difference).contiguous();
}

Picture DrawComparison(const Picture& a, const Picture& b, const at::Tensor& difference, const std::string& warning) {
  const Legend grey = GreyLegend(difference, warning);
  return WithLegend(Panels(a, b, difference, grey), grey);
}

Picture DrawDepthComparison(const Prediction& a, const Prediction& b, const DepthColours& colours,
                            const Manifest& manifest) {
  const ValueRange range = colours.range ? *colours.range : RangeOf(a.depth, colours.low, colours.high);
  const Legend legend = {.map = colours.map,
                         .reversed = MainOutput(manifest).larger_is() == "farther",
                         .min = range.min,
                         .max = range.max,
                         .text = absl::StrCat("left and middle: ", DepthUnit(manifest)),
                         .warning = manifest.warning()};
  const at::Tensor difference = DifferenceMap(a, b);
  const Legend grey = GreyLegend(difference, /*warning=*/"");
  const Picture panels = Panels(DrawPanel(a.depth, legend), DrawPanel(b.depth, legend), difference, grey);
  return WithLegend(WithLegend(panels, legend), grey);
}

absl::StatusOr<at::Tensor> PrincipalComponents(const at::Tensor& features) {
  ASSIGN_OR_RETURN(const bool finite, CatchTorch([&] { return at::isfinite(features).all().item<bool>(); }));
  if (!finite) return absl::FailedPreconditionError("the model's features are not finite");
  return CatchTorch([&] { return Components(features); });
}

absl::StatusOr<Picture> DrawFeatures(const at::Tensor& features, int width, int height) {
  ASSIGN_OR_RETURN(const at::Tensor components, PrincipalComponents(features));
  ASSIGN_OR_RETURN(const at::Tensor colours, CatchTorch([&] { return Normalised(components); }));
  const int64_t rows = colours.size(1), columns = colours.size(2);
  const auto values = colours.accessor<float, 3>();
  Picture picture(width, height, {0, 0, 0});
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      Rgb colour;
      for (int c = 0; c < 3; ++c) {
        const float value = values[c][y * rows / height][x * columns / width];
        colour[c] = static_cast<uint8_t>(std::lround(value * 255));
      }
      picture.Set(x, y, colour);
    }
  }
  return picture;
}

double LongestMotion(const at::Tensor& flow) {
  const auto values = flow.accessor<float, 3>();
  double longest = 0;
  for (int64_t y = 0; y < flow.size(1); ++y) {
    for (int64_t x = 0; x < flow.size(2); ++x) {
      const double length = Length(values[0][y][x], values[1][y][x]);
      if (std::isfinite(length)) longest = std::max(longest, length);
    }
  }
  return longest;
}

Picture DrawFlow(const at::Tensor& flow, double full) {
  const auto values = flow.accessor<float, 3>();
  const int height = static_cast<int>(flow.size(1)), width = static_cast<int>(flow.size(2));
  Picture picture(width, height, {0, 0, 0});
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double right = values[0][y][x], up = -values[1][y][x], length = Length(right, up);
      if (std::isfinite(length))
        picture.Set(x, y, DirectionColour(std::atan2(up, right), full > 0 ? length / full : 0));
    }
  }
  return picture;
}

Picture DrawNormals(const at::Tensor& normals) {
  const auto values = normals.accessor<float, 3>();
  const int height = static_cast<int>(normals.size(1)), width = static_cast<int>(normals.size(2));
  Picture picture(width, height, {0, 0, 0});
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      picture.Set(x, y, {Byte(values[0][y][x]), Byte(-values[1][y][x]), Byte(-values[2][y][x])});
    }
  }
  return picture;
}

}  // namespace modelport
