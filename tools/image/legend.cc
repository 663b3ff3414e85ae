#include "tools/image/legend.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "tools/image/draw_text.h"

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

// The size of capitals below a picture of this width.
int TextSize(int width) { return std::clamp(4 + width / 80, 10, 28); }

// `picture` in the middle of a picture of `width` columns with `rows` more rows.
Picture Enlarged(const Picture& picture, int width, int rows) {
  Picture whole(width, picture.height() + rows, kBackground);
  whole.Paste((width - picture.width()) / 2, 0, picture);
  return whole;
}

}  // namespace

Rgb LegendColour(const Legend& legend, double value) {
  const double range = legend.max - legend.min;
  const double part = range > 0 ? (value - legend.min) / range : 0;
  return legend.map(legend.reversed ? 1 - part : part);
}

Picture WithCaption(const Picture& picture, const std::string& text, const std::string& warning) {
  const int width = std::max(picture.width(), kMinWidth), size = TextSize(width), line = 2 * size;
  Picture whole = Enlarged(picture, width, size + line * (warning.empty() ? 1 : 2));
  int y = picture.height() + size;
  const auto draw = [&](const std::string& words, Rgb colour) {
    DrawText(words, size, y, FittingSize(words, size, width - 2 * size), colour, whole);
    y += line;
  };
  if (!warning.empty()) draw(warning, kRed);
  draw(text, kInk);
  return whole;
}

Picture WithLegend(const Picture& picture, const Legend& legend) {
  const Picture captioned = WithCaption(picture, legend.text, legend.warning);
  const int width = captioned.width(), size = TextSize(width), bar = size + size / 2;
  const int left = size, right = width - size;
  Picture whole = Enlarged(captioned, width, bar + 3 * size);
  int y = captioned.height();
  for (int x = left; x < right; ++x) {
    const double value = legend.min + (legend.max - legend.min) * (x - left) / (right - left - 1);
    for (int row = 0; row < bar; ++row) whole.Set(x, y + row, LegendColour(legend, value));
  }
  y += bar + size / 2;
  const double middle = (legend.min + legend.max) / 2;
  DrawCentred(FormatValue(legend.min), left, y, size, left, right, whole);
  DrawCentred(FormatValue(middle), (left + right) / 2, y, size, left, right, whole);
  DrawCentred(FormatValue(legend.max), right, y, size, left, right, whole);
  return whole;
}

}  // namespace modelport
