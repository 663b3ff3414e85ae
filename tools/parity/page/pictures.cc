#include "tools/parity/page/pictures.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/adaptive_max_pool2d.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/status/status_macros.h"
#include "common/text/template.h"
#include "common/torchscript/script/torch_status.h"
#include "tools/image/colour_map.h"
#include "tools/image/encode_png.h"
#include "tools/image/picture.h"

namespace modelport {
namespace {

constexpr int64_t kLongest = 160;  // Pixels of a picture's longer side; a larger one is drawn smaller.
constexpr int kMost = 48;          // Figures.

// The height and width of the first argument that is an image; {0, 0} if there is none.
std::pair<int64_t, int64_t> InputSize(const Reference& reference) {
  for (const auto& [name, value] : reference.arguments) {
    if (!value.isTensor() || value.toTensor().dim() < 4) continue;
    return {value.toTensor().size(-2), value.toTensor().size(-1)};
  }
  return {0, 0};
}

// Whether the tensor's last two sides are the input's, times a factor and rounded.
bool IsPicture(const at::Tensor& tensor, std::pair<int64_t, int64_t> input) {
  if (!tensor.defined() || tensor.dim() < 3 || input.first == 0 || tensor.numel() == 0) return false;
  const double height = tensor.size(-2), width = tensor.size(-1);
  return std::min(height, width) >= 4 && std::abs(height - width * input.first / input.second) < 1;
}

// The first image, with its channels: [C, H, W] in float64.
at::Tensor FirstImage(at::Tensor tensor) {
  const int64_t most = tensor.dim() == 3 ? 2 : 3;
  while (tensor.dim() > most) tensor = tensor[0];
  tensor = tensor.to(at::kDouble).nan_to_num(0, 0, 0);
  return most == 2 ? tensor.unsqueeze(0) : tensor;
}

// Height and width with the longer side at most kLongest.
std::pair<int64_t, int64_t> DrawnSize(const at::Tensor& image) {
  const double factor = std::min(1.0, static_cast<double>(kLongest) / std::max(image.size(-2), image.size(-1)));
  return {std::max<int64_t>(1, std::lround(image.size(-2) * factor)),
          std::max<int64_t>(1, std::lround(image.size(-1) * factor))};
}

// `values` [H, W] in the colours of `map`, from `low` to `high`, as an <img>.
absl::StatusOr<std::string> Draw(const at::Tensor& values, double low, double high, ColourMap map,
                                 absl::string_view caption) {
  const at::Tensor unit = ((values - low) / std::max(high - low, 1e-300)).clamp(0, 1).contiguous();
  const int height = unit.size(0), width = unit.size(1);
  Picture picture(width, height, {0, 0, 0});
  const double* const pixels = unit.const_data_ptr<double>();
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) picture.Set(column, row, map(pixels[row * width + column]));
  }
  ASSIGN_OR_RETURN(const std::string png, EncodePng(width, height, absl::MakeConstSpan(picture.rgb()), {}));
  return absl::StrFormat(
      "<div><img width=\"%d\" height=\"%d\" alt=\"%s\" src=\"data:image/png;base64,%s\"><span>%s</span></div>\n", width,
      height, caption, absl::Base64Escape(png), caption);
}

absl::StatusOr<std::string> Figure(const ComparedTensor& tensor) {
  const at::Tensor expected = FirstImage(tensor.expected), actual = FirstImage(tensor.actual);
  const auto [height, width] = DrawnSize(expected);
  const auto shrunk = [size = std::vector<int64_t>{height, width}](const at::Tensor& image) {
    return at::adaptive_avg_pool2d(image.mean(0, /*keepdim=*/true).unsqueeze(0), size)[0][0];
  };
  // The largest difference of the pixels that become one, so that none is lost.
  const at::Tensor difference = std::get<0>(at::adaptive_max_pool2d(
      std::get<0>((expected - actual).abs().max(0, /*keepdim=*/true)).unsqueeze(0), {height, width}))[0][0];
  const at::Tensor theirs = shrunk(expected), ours = shrunk(actual);
  const double low = theirs.min().item<double>(), high = theirs.max().item<double>();
  const double largest = difference.max().item<double>();
  ASSIGN_OR_RETURN(const ColourMap colours, FindColourMap("spectral"));
  ASSIGN_OR_RETURN(const ColourMap greys, FindColourMap("grey"));
  ASSIGN_OR_RETURN(std::string html, Draw(theirs, low, high, colours, "reference"));
  ASSIGN_OR_RETURN(const std::string own, Draw(ours, low, high, colours, "model"));
  ASSIGN_OR_RETURN(const std::string apart, Draw(difference, 0, largest, greys, "difference"));
  const std::string channels = expected.size(0) > 1 ? absl::StrCat(", mean of ", expected.size(0), " channels") : "";
  return absl::StrFormat(
      "<figure><div class=\"trio\">%s%s%s</div><figcaption><code>%s</code> %s<br>%.3g to %.3g%s; white is a difference "
      "of "
      "%.3g</figcaption></figure>\n",
      html, own, apart, EscapeHtml(tensor.name), tensor.passed() ? "" : "<strong class=\"warning\">fails</strong>", low,
      high, channels, largest);
}

}  // namespace

absl::StatusOr<std::string> PicturesHtml(const ReferenceComparison& comparison, const Reference& reference) {
  const c10::InferenceMode inference;
  const std::pair<int64_t, int64_t> input = InputSize(reference);
  std::vector<const ComparedTensor*> shown;
  for (const ComparedTensor& tensor : comparison.tensors) {
    const bool is_input = !tensor.point.is_result && tensor.point.stage.side == Stage::Side::kInput;
    const bool has_pair = tensor.expected.defined() && tensor.expected.sizes() == tensor.actual.sizes();
    if (!is_input && has_pair && IsPicture(tensor.expected, input)) shown.push_back(&tensor);
  }
  // What comes out is worth the most.
  std::stable_sort(shown.begin(), shown.end(), [](const ComparedTensor* a, const ComparedTensor* b) {
    return a->point.is_result > b->point.is_result;
  });
  std::string html;
  for (size_t i = 0; i < std::min<size_t>(shown.size(), kMost); ++i) {
    absl::StatusOr<std::string> figure = absl::InternalError("");
    RETURN_IF_ERROR(CatchTorch([&] { figure = Figure(*shown[i]); }));
    RETURN_IF_ERROR(figure.status());
    absl::StrAppend(&html, *figure);
  }
  if (shown.size() > kMost) absl::StrAppend(&html, "<p>+", shown.size() - kMost, " more have no room here.</p>\n");
  return html;
}

}  // namespace modelport
