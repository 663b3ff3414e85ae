#include "tools/image/legend.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

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

// Glyphs are lines between points of a grid. Two digits are a point: its column, 0..4, and its row: 0 the top of
// capitals, 2 that of small letters, 6 the line that they stand on, 8 below it. Spaces divide lines; a line of one
// point twice is a dot.
constexpr double kCapital = 6, kAdvance = 5.6, kRadius = 0.45;

const absl::flat_hash_map<char, absl::string_view>& Glyphs() {
  static const auto* const glyphs = new absl::flat_hash_map<char, absl::string_view>{
      {'0', "103041453616050110"},
      {'1', "112026 1636"},
      {'2', "01103041420646"},
      {'3', "01103041423313 334445361605"},
      {'4', "36300444"},
      {'5', "400003334445361605"},
      {'6', "30100105163645443303"},
      {'7', "004016"},
      {'8', "103041423313020110 1304051636454433"},
      {'9', "43130201103041453616"},
      {'A', "0602204246 0444"},
      {'B', "0333424130000636454433"},
      {'C', "4130100105163645"},
      {'D', "00304145360600"},
      {'E', "40000646 0333"},
      {'F', "400006 0333"},
      {'G', "41301001051636454323"},
      {'H', "0006 4046 0343"},
      {'I', "1030 2026 1636"},
      {'J', "4045361605"},
      {'K', "0006 400346"},
      {'L', "000646"},
      {'M', "0600234046"},
      {'N', "06004640"},
      {'O', "103041453616050110"},
      {'P', "06003041423303"},
      {'Q', "103041453616050110 2446"},
      {'R', "06003041423303 2346"},
      {'S', "413010010213334445361605"},
      {'T', "0040 2026"},
      {'U', "000516364540"},
      {'V', "002640"},
      {'W', "0016233640"},
      {'X', "0046 4006"},
      {'Y', "002340 2326"},
      {'Z', "00400646"},
      {'a', "12324346 441405163645"},
      {'b', "0006 0312324345361605"},
      {'c', "4332120305163645"},
      {'d', "4046 4332120305163645"},
      {'e', "04444332120305163645"},
      {'f', "30201116 0232"},
      {'g', "4332120305163645 4247381807"},
      {'h', "0006 0312324346"},
      {'i', "2226 2020"},
      {'j', "32372818 3030"},
      {'k', "0006 420446"},
      {'l', "202536"},
      {'m', "0602 03122326 23324346"},
      {'n', "0602 0312324346"},
      {'o', "123243453616050312"},
      {'p', "0208 0312324345361605"},
      {'q', "4248 4332120305163645"},
      {'r', "0602 03123243"},
      {'s', "43321203143445361605"},
      {'t', "10152636 0232"},
      {'u', "0205163645 4246"},
      {'v', "022642"},
      {'w', "0216243642"},
      {'x', "0246 4206"},
      {'y', "0226 4218"},
      {'z', "02420646"},
      {' ', ""},
      {'.', "2626"},
      {',', "2617"},
      {':', "2323 2626"},
      {'-', "1434"},
      {'+', "0444 2226"},
      {'=', "0343 0545"},
      {'/', "0640"},
      {'%', "0640 0010110100 3545463635"},
      {'_', "0747"},
      {'(', "30212536"},
      {')', "10212516"},
      {'<', "420446"},
      {'>', "024406"},
      {'!', "2024 2626"},
  };
  return *glyphs;
}

absl::string_view Glyph(char character) {
  const auto glyph = Glyphs().find(character);
  return glyph == Glyphs().end() ? "0040460600" : glyph->second;
}

struct Point {
  double x, y;
};

double Distance(Point a, Point b, Point p) {
  const double dx = b.x - a.x, dy = b.y - a.y, squared = dx * dx + dy * dy;
  const double along = squared == 0 ? 0 : std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / squared, 0.0, 1.0);
  return std::hypot(p.x - a.x - along * dx, p.y - a.y - along * dy);
}

// Draws a line with round ends. Pixels at its border are mixed with those below it.
void DrawLine(Point a, Point b, double radius, Rgb colour, Picture& picture) {
  const int left = std::max(0, static_cast<int>(std::min(a.x, b.x) - radius - 1));
  const int right = std::min(picture.width() - 1, static_cast<int>(std::max(a.x, b.x) + radius + 1));
  const int top = std::max(0, static_cast<int>(std::min(a.y, b.y) - radius - 1));
  const int bottom = std::min(picture.height() - 1, static_cast<int>(std::max(a.y, b.y) + radius + 1));
  for (int y = top; y <= bottom; ++y) {
    for (int x = left; x <= right; ++x) {
      const double covered = std::clamp(radius + 0.5 - Distance(a, b, {x + 0.5, y + 0.5}), 0.0, 1.0);
      Rgb mixed = picture.Get(x, y);
      for (int i = 0; i < 3; ++i) {
        mixed[i] = static_cast<uint8_t>(std::lround(mixed[i] + covered * (colour[i] - mixed[i])));
      }
      picture.Set(x, y, mixed);
    }
  }
}

}  // namespace

absl::optional<ValueRange> ParseRange(absl::string_view text) {
  const std::vector<absl::string_view> ends = absl::StrSplit(text, ',');
  ValueRange range;
  const bool parsed =
      ends.size() == 2 && absl::SimpleAtod(ends[0], &range.min) && absl::SimpleAtod(ends[1], &range.max);
  const bool is_range = parsed && std::isfinite(range.min) && std::isfinite(range.max) && range.min < range.max;
  return is_range ? absl::make_optional(range) : absl::nullopt;
}

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

int TextWidth(absl::string_view text, int size) {
  return static_cast<int>(std::ceil(static_cast<double>(text.size()) * kAdvance * size / kCapital));
}

void DrawText(absl::string_view text, int x, int y, int size, Rgb colour, Picture& picture) {
  const double unit = size / kCapital;
  for (size_t i = 0; i < text.size(); ++i) {
    const double left = x + static_cast<double>(i) * kAdvance * unit;
    const auto point = [&](absl::string_view digits) {
      return Point{left + (digits[0] - '0') * unit, y + (digits[1] - '0') * unit};
    };
    const absl::string_view glyph = Glyph(text[i]);
    for (size_t at = 0; at + 4 <= glyph.size(); at += 2) {
      if (glyph[at] == ' ') ++at;
      if (glyph[at + 2] == ' ') continue;
      DrawLine(point(glyph.substr(at, 2)), point(glyph.substr(at + 2, 2)), kRadius * unit, colour, picture);
    }
  }
}

}  // namespace modelport
