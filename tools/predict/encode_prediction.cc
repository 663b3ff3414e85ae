#include "tools/predict/encode_prediction.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/stack.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "common/manifest/describe_manifest.h"
#include "common/manifest/manifest_facts.h"
#include "common/status/status_macros.h"
#include "tools/image/encode_exr.h"
#include "tools/image/encode_png.h"
#include "tools/image/legend.h"
#include "tools/image/transfer.h"

namespace modelport {
namespace {

// As the depth images of KITTI: from 0 to 256 m in steps of 4 mm.
constexpr double kStepsPerMetre = 256, kMaxStep = 65535;

absl::Span<const float> Values(const at::Tensor& map) {
  return absl::MakeConstSpan(map.const_data_ptr<float>(), map.numel());
}

// Adds the planes of `map`, [channels, h, w], under these names.
void AddPlanes(absl::Span<const float> map, const std::vector<std::string>& names, std::vector<ExrChannel>& channels) {
  const size_t area = map.size() / names.size();
  for (size_t i = 0; i < names.size(); ++i) channels.push_back({names[i], map.subspan(i * area, area)});
}

absl::Status CheckFinite(const at::Tensor& map, absl::string_view what) {
  const absl::Span<const float> values = Values(map);
  if (std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); })) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat("the ", what, " is not finite everywhere"));
}

// What every file says of its origin.
ImageTexts Origin(const LoadedArtifact& artifact) {
  const Manifest& manifest = artifact.manifest;
  ImageTexts texts = {{"modelport/model", manifest.request().model()}, {"modelport/source", WeightsSource(manifest)}};
  if (artifact.manifest_sha256) texts.emplace_back("modelport/manifestSha256", *artifact.manifest_sha256);
  if (!manifest.warning().empty()) texts.emplace_back("modelport/warning", manifest.warning());
  return texts;
}

// How a 16-bit number tells a depth: depth = offset + number * step.
struct Scale {
  double offset;
  double step;
};

Scale ScaleFor(const at::Tensor& depth, const Manifest& manifest, const absl::optional<ValueRange>& wanted) {
  if (!wanted && MainOutput(manifest).unit() == kMetres) return {0, 1 / kStepsPerMetre};
  const ValueRange range = wanted ? *wanted : RangeOf(depth, 0, 100);
  return {range.min, std::max((range.max - range.min) / kMaxStep, 1e-30)};
}

absl::StatusOr<std::string> EncodeGrey(const Prediction& prediction, const LoadedArtifact& artifact,
                                       const absl::optional<ValueRange>& range) {
  const at::Tensor& depth = prediction.depth;
  const Scale scale = ScaleFor(depth, artifact.manifest, range);
  const bool has_gaps = prediction.mask.defined() && scale.offset == 0;
  std::vector<uint16_t> numbers;
  for (const float value : Values(depth)) {
    if (has_gaps && std::isinf(value)) {
      numbers.push_back(0);
      continue;
    }
    if (!std::isfinite(value)) {
      return absl::FailedPreconditionError("the depth is not finite everywhere; .exr can hold it, 16 bits cannot");
    }
    const double number = std::round((value - scale.offset) / scale.step);
    numbers.push_back(static_cast<uint16_t>(std::clamp(number, 0.0, kMaxStep)));
  }
  ImageTexts texts = Origin(artifact);
  texts.emplace_back("modelport/unit", DepthUnit(artifact.manifest));
  texts.emplace_back("modelport/depth", absl::StrFormat("%.9g + number * %.9g", scale.offset, scale.step));
  return EncodePng(static_cast<int>(depth.size(1)), static_cast<int>(depth.size(0)), absl::MakeConstSpan(numbers),
                   texts);
}

absl::StatusOr<std::string> EncodePicture(const Picture& picture, const ImageTexts& texts) {
  return EncodePng(picture.width(), picture.height(), absl::MakeConstSpan(picture.rgb()), texts);
}

// The picture of `what`, above a caption that says so where the manifest has a warning.
absl::StatusOr<std::string> EncodeCaptioned(const Picture& picture, const std::string& what,
                                            const LoadedArtifact& artifact) {
  const std::string& warning = artifact.manifest.warning();
  if (warning.empty()) return EncodePicture(picture, Origin(artifact));
  const std::string caption = absl::StrCat(artifact.manifest.request().model(), ": ", what);
  return EncodePicture(WithCaption(picture, caption, warning), Origin(artifact));
}

absl::StatusOr<std::string> EncodeDepthPng(const Image& image, const Prediction& prediction,
                                           const LoadedArtifact& artifact, const OutputStyle& style) {
  if (style.normals) {
    if (prediction.normals.defined()) return EncodeCaptioned(DrawNormals(prediction.normals), "normals", artifact);
    return absl::InvalidArgumentError(
        absl::StrCat(artifact.manifest.request().model(), " gives no normals; leave out --normals"));
  }
  if (!style.colours) return EncodeGrey(prediction, artifact, style.range);
  const absl::optional<Picture> photo = style.side_by_side ? absl::make_optional<Picture>(image) : absl::nullopt;
  return EncodePicture(DrawDepth(prediction.depth, *style.colours, artifact.manifest, photo ? &*photo : nullptr),
                       Origin(artifact));
}

absl::StatusOr<std::string> EncodeDepthExr(const Image& image, const Prediction& prediction,
                                           const LoadedArtifact& artifact) {
  std::vector<ExrChannel> channels = {{"depth.Z", Values(prediction.depth)}};
  if (prediction.confidence.defined()) channels.push_back({"confidence.Y", Values(prediction.confidence)});
  if (prediction.sky.defined()) channels.push_back({"sky.Y", Values(prediction.sky)});
  if (prediction.mask.defined()) channels.push_back({"mask.Y", Values(prediction.mask)});
  if (prediction.normals.defined()) {
    AddPlanes(Values(prediction.normals), {"normal.X", "normal.Y", "normal.Z"}, channels);
  }
  ImageTexts texts = Origin(artifact);
  texts.emplace_back("modelport/unit", DepthUnit(artifact.manifest));
  return EncodeExr(static_cast<int>(prediction.depth.size(1)), static_cast<int>(prediction.depth.size(0)), channels,
                   texts, image.plate);
}

absl::StatusOr<std::string> EncodeMattePng(const at::Tensor& alpha, const LoadedArtifact& artifact) {
  RETURN_IF_ERROR(CheckFinite(alpha, "matte"));
  std::vector<uint16_t> numbers;
  for (const float value : Values(alpha)) {
    numbers.push_back(static_cast<uint16_t>(std::round(std::clamp(value, 0.0f, 1.0f) * kMaxStep)));
  }
  return EncodePng(static_cast<int>(alpha.size(1)), static_cast<int>(alpha.size(0)), absl::MakeConstSpan(numbers),
                   Origin(artifact));
}

absl::StatusOr<std::string> EncodeMatteExr(const Image& image, const at::Tensor& alpha,
                                           const LoadedArtifact& artifact) {
  return EncodeExr(static_cast<int>(alpha.size(1)), static_cast<int>(alpha.size(0)), {{"A", Values(alpha)}},
                   Origin(artifact), image.plate);
}

Picture DrawColour(const at::Tensor& colour) {
  const int height = static_cast<int>(colour.size(1)), width = static_cast<int>(colour.size(2));
  const absl::Span<const float> values = Values(colour);
  const size_t area = values.size() / 3;
  Picture picture(width, height, {});
  const auto byte = [&](size_t i) {
    return static_cast<uint8_t>(std::lround(std::clamp(values[i], 0.0f, 1.0f) * 255));
  };
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const size_t i = static_cast<size_t>(y) * width + x;
      picture.Set(x, y, {byte(i), byte(area + i), byte(2 * area + i)});
    }
  }
  return picture;
}

absl::StatusOr<std::string> EncodeColourPng(const at::Tensor& colour, const LoadedArtifact& artifact) {
  return EncodeCaptioned(DrawColour(colour), "image", artifact);
}

// The place of an image that was made of `image` and is `width` wide: its window is as many times larger.
Plate Enlarged(const Image& image, int width) {
  const int64_t scale = std::max(1, width / std::max(1, image.width));
  constexpr int64_t kFarthest = int64_t{1} << 30;
  const auto times = [&](int64_t side) { return static_cast<int>(std::clamp(side * scale, -kFarthest, kFarthest)); };
  return {.left = times(image.plate.left), .top = times(image.plate.top), .pixel_aspect = image.plate.pixel_aspect};
}

absl::StatusOr<std::string> EncodeColourExr(const Image& image, const at::Tensor& colour,
                                            const LoadedArtifact& artifact) {
  const int width = static_cast<int>(colour.size(2)), height = static_cast<int>(colour.size(1));
  std::vector<float> linear;
  for (const float value : Values(colour)) linear.push_back(static_cast<float>(SrgbToLinear(value)));
  std::vector<ExrChannel> channels;
  AddPlanes(linear, {"R", "G", "B"}, channels);
  return EncodeExr(width, height, channels, Origin(artifact), Enlarged(image, width));
}

// As colours of normal maps where red is right, green up and blue to the camera, as the axes of hosts are by default.
absl::StatusOr<std::string> EncodeNodeNormalsPng(const at::Tensor& normals, const LoadedArtifact& artifact) {
  return EncodeColourPng((normals + 1) / 2, artifact);
}

absl::StatusOr<std::string> EncodeNodeNormalsExr(const Image& image, const at::Tensor& normals,
                                                 const LoadedArtifact& artifact) {
  std::vector<ExrChannel> channels;
  AddPlanes(Values(normals), {"R", "G", "B"}, channels);
  return EncodeExr(static_cast<int>(normals.size(2)), static_cast<int>(normals.size(1)), channels, Origin(artifact),
                   image.plate);
}

// `flow` is [2, H, W].
absl::StatusOr<std::string> EncodeFlowPng(const at::Tensor& flow, const LoadedArtifact& artifact,
                                          const absl::optional<ValueRange>& range) {
  const double full = range ? range->max : LongestMotion(flow);
  return EncodeCaptioned(DrawFlow(flow, full), absl::StrFormat("motion, full colour at %.1f pixels", full), artifact);
}

absl::StatusOr<std::string> EncodeFlowExr(const Image& image, const at::Tensor& flow, const LoadedArtifact& artifact) {
  const at::Tensor up = flow.clone();
  for (int64_t i = 1; i < up.size(0); i += 2) up[i].neg_();
  std::vector<std::string> names = {"forward.u", "forward.v"};
  if (up.size(0) == 4) names.insert(names.begin(), {"backward.u", "backward.v"});
  std::vector<ExrChannel> channels;
  AddPlanes(Values(up), names, channels);
  ImageTexts texts = Origin(artifact);
  texts.emplace_back("modelport/unit", "pixels, right and up");
  return EncodeExr(static_cast<int>(flow.size(2)), static_cast<int>(flow.size(1)), channels, texts, image.plate);
}

absl::StatusOr<std::string> EncodeFeaturesExr(const at::Tensor& features, const LoadedArtifact& artifact) {
  std::vector<std::string> names;
  for (int64_t i = 0; i < features.size(0); ++i) names.push_back(absl::StrFormat("features.%04d", i));
  std::vector<ExrChannel> channels;
  AddPlanes(Values(features), names, channels);
  return EncodeExr(static_cast<int>(features.size(2)), static_cast<int>(features.size(1)), channels, Origin(artifact));
}

absl::StatusOr<std::string> EncodeFeaturesPng(const Image& image, const at::Tensor& features,
                                              const LoadedArtifact& artifact) {
  ASSIGN_OR_RETURN(const Picture picture, DrawFeatures(features, image.width, image.height));
  return EncodeCaptioned(picture, "principal components", artifact);
}

// On how many pixels the depth is beyond `wanted`, or else beyond what 16 bits of KITTI's steps hold, roughly, so that
// the frames of a shot have few notes; "" if on none.
std::string ClippedNote(const at::Tensor& depth, const absl::optional<ValueRange>& wanted, bool in_metres) {
  const ValueRange range = wanted ? *wanted : ValueRange{0, kMaxStep / kStepsPerMetre};
  const absl::Span<const float> values = Values(depth);
  const int64_t clipped = std::count_if(values.begin(), values.end(), [&](float value) {
    return std::isfinite(value) && (value < range.min || value > range.max);
  });
  if (clipped == 0) return "";
  const double part = static_cast<double>(clipped) / static_cast<double>(values.size());
  const char* const pixels = part < 0.01 ? "less than 1 %" : part < 0.1 ? "1 to 10 %" : "more than 10 %";
  return absl::StrFormat("depth outside %.6g to %.6g%s is written as these, on %s of the pixels; %s.exr holds it",
                         range.min, range.max, in_metres ? " m" : "", pixels,
                         wanted ? "" : "--range=MIN,MAX takes another scale, and ");
}

absl::Status GivesScores(const LoadedArtifact& artifact) {
  return absl::InvalidArgumentError(absl::StrCat(artifact.manifest.request().model(),
                                                 " gives scores of classes, which are printed; leave out --out"));
}

// What is neither depth nor scores, as EncodePrediction draws it; motion of `full` pixels has its full colour.
absl::StatusOr<Picture> DrawOutput(const Image& image, const Prediction& prediction, double full) {
  if (prediction.alpha.defined()) {
    RETURN_IF_ERROR(CheckFinite(prediction.alpha, "matte"));
    return DrawColour(at::stack({prediction.alpha, prediction.alpha, prediction.alpha}));
  }
  if (prediction.node_normals.defined()) {
    RETURN_IF_ERROR(CheckFinite(prediction.node_normals, "normals"));
    return DrawColour((prediction.node_normals + 1) / 2);
  }
  if (prediction.flow.defined()) {
    RETURN_IF_ERROR(CheckFinite(prediction.flow, "motion"));
    return DrawFlow(prediction.onward(), full);
  }
  if (prediction.colour.defined()) {
    RETURN_IF_ERROR(CheckFinite(prediction.colour, "image"));
    return DrawColour(prediction.colour);
  }
  return DrawFeatures(prediction.features, image.width, image.height);
}

}  // namespace

absl::StatusOr<std::string> EncodePrediction(const std::string& path, const Image& image, const Prediction& prediction,
                                             const LoadedArtifact& artifact, const OutputStyle& style) {
  const std::string name = absl::AsciiStrToLower(path);
  const bool png = absl::EndsWith(name, ".png"), exr = absl::EndsWith(name, ".exr");
  if (style.range && !prediction.depth.defined() && !prediction.flow.defined()) {
    return absl::InvalidArgumentError(
        absl::StrCat(artifact.manifest.request().model(), " gives no depth; leave out --range"));
  }
  const bool shows_matte = style.side_by_side && !style.normals && prediction.alpha.defined();
  if (style.is_picture() && !prediction.depth.defined() && !shows_matte) {
    return absl::InvalidArgumentError(absl::StrCat(
        artifact.manifest.request().model(), " gives no depth; leave out --colours, --side_by_side and --normals"));
  }
  if (!png && !exr) return absl::InvalidArgumentError("wants a name that ends with .png or .exr");
  if (prediction.depth.defined()) {
    return png ? EncodeDepthPng(image, prediction, artifact, style) : EncodeDepthExr(image, prediction, artifact);
  }
  if (prediction.alpha.defined()) {
    if (png && shows_matte) {
      RETURN_IF_ERROR(CheckFinite(prediction.alpha, "matte"));
      return EncodeCaptioned(DrawMatte(Picture(image), prediction.alpha, prediction.prompt), "matte", artifact);
    }
    return png ? EncodeMattePng(prediction.alpha, artifact) : EncodeMatteExr(image, prediction.alpha, artifact);
  }
  if (prediction.node_normals.defined()) {
    RETURN_IF_ERROR(CheckFinite(prediction.node_normals, "normals"));
    return png ? EncodeNodeNormalsPng(prediction.node_normals, artifact)
               : EncodeNodeNormalsExr(image, prediction.node_normals, artifact);
  }
  if (prediction.flow.defined()) {
    RETURN_IF_ERROR(CheckFinite(prediction.flow, "motion"));
    return png ? EncodeFlowPng(prediction.onward(), artifact, style.range)
               : EncodeFlowExr(image, prediction.flow, artifact);
  }
  if (prediction.colour.defined()) {
    RETURN_IF_ERROR(CheckFinite(prediction.colour, "image"));
    return png ? EncodeColourPng(prediction.colour, artifact) : EncodeColourExr(image, prediction.colour, artifact);
  }
  if (prediction.features.defined()) {
    return png ? EncodeFeaturesPng(image, prediction.features, artifact)
               : EncodeFeaturesExr(prediction.features, artifact);
  }
  return GivesScores(artifact);
}

bool HasOwnScale(const std::string& path, const LoadedArtifact& artifact, const OutputStyle& style) {
  const bool is_drawn = absl::EndsWithIgnoreCase(path, ".png") && !style.normals;
  const bool in_metres = MainOutput(artifact.manifest).unit() == kMetres && !style.colours;
  return is_drawn && !style.range && !in_metres;
}

std::vector<std::string> NotesOn(const std::string& path, const Prediction& prediction, const LoadedArtifact& artifact,
                                 const OutputStyle& style) {
  if (!absl::EndsWithIgnoreCase(path, ".png")) return {};
  if (prediction.flow.defined() && style.is_one_of_several && !style.range) {
    return {
        "each file has its own longest motion in full colour; --range=0,MAX gives all one scale, and .exr holds the "
        "motion itself"};
  }
  if (!prediction.depth.defined() || style.normals) return {};
  std::vector<std::string> notes;
  if (!style.colours) notes.push_back("16-bit numbers, not a picture: --colours draws one");
  if (!HasOwnScale(path, artifact, style)) {
    const bool in_metres = MainOutput(artifact.manifest).unit() == kMetres;
    const std::string clipped = ClippedNote(prediction.depth, style.range, in_metres);
    if (!clipped.empty()) notes.push_back(clipped);
  } else if (style.is_one_of_several) {
    notes.push_back(
        "each file goes from its own smallest depth to its own largest; --range=MIN,MAX gives all one scale, and "
        ".exr keeps the model's");
  }
  return notes;
}

absl::StatusOr<std::string> EncodeComparison(const std::string& path, const Image& image, const Prediction& prediction,
                                             const Prediction& other, const LoadedArtifact& artifact,
                                             const OutputStyle& style) {
  if (!absl::EndsWithIgnoreCase(path, ".png")) {
    return absl::InvalidArgumentError("a comparison is drawn as .png, and the numbers are printed; leave out --out");
  }
  if (prediction.scores.defined()) return GivesScores(artifact);
  const Manifest& manifest = artifact.manifest;
  if (prediction.depth.defined()) {
    return EncodePicture(DrawDepthComparison(prediction, other, *style.colours, manifest), {});
  }
  // Both motions have the same colours.
  const double full = style.range                 ? style.range->max
                      : prediction.flow.defined() ? LongestMotion(prediction.onward())
                                                  : 0;
  ASSIGN_OR_RETURN(const Picture first, DrawOutput(image, prediction, full));
  ASSIGN_OR_RETURN(const Picture second, DrawOutput(image, other, full));
  return EncodePicture(DrawComparison(first, second, DifferenceMap(prediction, other), manifest.warning()), {});
}

}  // namespace modelport
