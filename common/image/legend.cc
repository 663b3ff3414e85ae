#include "common/image/legend.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "common/image/draw_text.h"

namespace modelport {
namespace {

constexpr int kMinWidth = 320;
constexpr Rgb kBackground = {24, 26, 30}, kInk = {230, 230, 230}, kRed = {255, 96, 80};

// Three significant digits, without an exponent for usual values.
std::string FormatValue(double value) { return absl::StrFormat("%.3g", value); }

// Draws `text` with its middle at `x`, but inside of the columns `left`..`right`.
void DrawCentred(const std::string& text, int x, int y, int size, int left, int right, Picture& picture) {
  const int width = TextWidth(text, size);
  DrawText(text, std::clamp(x - width / 2, left, std::max(left, right - width)), y, size, kInk, picture);
}

// The largest size, at most `size`, at which `text` is no wider than `width`.
int FittingSize(const std::string& text, int size, int width) {
  while (size > 6 && TextWidth(text, size) > width) --size;
  return size;
}

}  // namespace

Rgb LegendColour(const Legend& legend, double value) {
  const double range = legend.max - legend.min;
  const double part = range > 0 ? (value - legend.min) / range : 0;
  return legend.map(legend.reversed ? 1 - part : part);
}

Picture WithLegend(const Picture& picture, const Legend& legend) {
  const int width = std::max(picture.width(), kMinWidth);
  // The parts of the legend grow with the picture.
  const int size = std::clamp(4 + width / 80, 10, 28), gap = size;
  const int lines = legend.warning.empty() ? 1 : 2;
  Picture whole(width, picture.height() + gap + lines * (size + gap) + 3 * size + 2 * gap, kBackground);
  whole.Paste((width - picture.width()) / 2, 0, picture);
  const int left = gap, right = width - gap;
  int y = picture.height() + gap;
  if (!legend.warning.empty()) {
    DrawText(legend.warning, left, y, FittingSize(legend.warning, size, right - left), kRed, whole);
    y += size + gap;
  }
  DrawText(legend.text, left, y, FittingSize(legend.text, size, right - left), kInk, whole);
  y += size + gap;
  for (int x = left; x < right; ++x) {
    const double value = legend.min + (legend.max - legend.min) * (x - left) / (right - left - 1);
    for (int row = 0; row < size + size / 2; ++row) whole.Set(x, y + row, LegendColour(legend, value));
  }
  y += size + size / 2 + gap / 2;
  const double middle = (legend.min + legend.max) / 2;
  DrawCentred(FormatValue(legend.min), left, y, size, left, right, whole);
  DrawCentred(FormatValue(middle), (left + right) / 2, y, size, left, right, whole);
  DrawCentred(FormatValue(legend.max), right, y, size, left, right, whole);
  return whole;
}

}  // namespace modelport
