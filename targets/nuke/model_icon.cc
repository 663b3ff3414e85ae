#include "targets/nuke/model_icon.h"

#include <png.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/digest/sha256.h"

namespace modelport {
namespace {

// Letters of 3 x 5 dots, each with one dot to its right and one below it. The smallest icon has room for six in a row.
constexpr int kLetterWidth = 4, kLetterHeight = 6;
constexpr int kSmallestIcon = 24;
constexpr size_t kLettersInARow = kSmallestIcon / kLetterWidth;

// The rows of a letter from above, an octal digit each, whose highest bit is the left dot.
struct Letter {
  char letter;
  std::array<uint8_t, 5> rows;
};

constexpr Letter kFont[] = {
    {'0', {7, 5, 5, 5, 7}}, {'1', {2, 6, 2, 2, 7}}, {'2', {6, 1, 2, 4, 7}}, {'3', {6, 1, 2, 1, 6}},
    {'4', {5, 5, 7, 1, 1}}, {'5', {7, 4, 6, 1, 6}}, {'6', {3, 4, 7, 5, 7}}, {'7', {7, 1, 2, 2, 2}},
    {'8', {7, 5, 7, 5, 7}}, {'9', {7, 5, 7, 1, 6}}, {'A', {2, 5, 7, 5, 5}}, {'B', {6, 5, 6, 5, 6}},
    {'C', {3, 4, 4, 4, 3}}, {'D', {6, 5, 5, 5, 6}}, {'E', {7, 4, 6, 4, 7}}, {'F', {7, 4, 6, 4, 4}},
    {'G', {3, 4, 5, 5, 3}}, {'H', {5, 5, 7, 5, 5}}, {'I', {7, 2, 2, 2, 7}}, {'J', {1, 1, 1, 5, 2}},
    {'K', {5, 5, 6, 5, 5}}, {'L', {4, 4, 4, 4, 7}}, {'M', {5, 7, 7, 5, 5}}, {'N', {6, 5, 5, 5, 5}},
    {'O', {2, 5, 5, 5, 2}}, {'P', {6, 5, 6, 4, 4}}, {'Q', {2, 5, 5, 7, 3}}, {'R', {6, 5, 6, 5, 5}},
    {'S', {3, 4, 2, 1, 6}}, {'T', {7, 2, 2, 2, 2}}, {'U', {5, 5, 5, 5, 7}}, {'V', {5, 5, 5, 5, 2}},
    {'W', {5, 5, 7, 7, 5}}, {'X', {5, 5, 2, 5, 5}}, {'Y', {5, 5, 2, 2, 2}}, {'Z', {7, 1, 2, 4, 7}},
};

// Whether a dot of the letter is set; none of a sign that the font lacks.
bool IsSet(char letter, int x, int y) {
  const auto* const found = std::find_if(std::begin(kFont), std::end(kFont), [&](const Letter& entry) {
    return entry.letter == absl::ascii_toupper(letter);
  });
  return found != std::end(kFont) && x < 3 && y < 5 && (found->rows[y] >> (2 - x) & 1) == 1;
}

// The first word of a name, and below it as many of its last words as there is room for, or what the first word has
// left.
std::vector<std::string> Lines(absl::string_view name) {
  const std::vector<std::string> words = absl::StrSplit(name, absl::ByAnyChar("_-. "), absl::SkipEmpty());
  if (words.empty()) return {};
  std::string second = words.size() > 1 ? words.back() : words[0].substr(std::min(words[0].size(), kLettersInARow));
  for (size_t i = words.size() - 1; i-- > 1 && words[i].size() + 1 + second.size() <= kLettersInARow;)
    second = absl::StrCat(words[i], " ", second);
  std::vector<std::string> lines = {words[0].substr(0, kLettersInARow)};
  if (!second.empty()) lines.push_back(second.substr(0, kLettersInARow));
  return lines;
}

using Rgba = std::array<uint8_t, 4>;

// Dark enough for white letters.
Rgba StripColour(absl::string_view name) {
  constexpr int kDarkest = 30, kBrightest = 150;
  const std::string bytes = absl::HexStringToBytes(Sha256Of(name));
  Rgba colour = {0, 0, 0, 255};
  for (int i = 0; i < 3; ++i) {
    colour[i] = static_cast<uint8_t>(kDarkest + static_cast<uint8_t>(bytes[i]) * (kBrightest - kDarkest) / 255);
  }
  return colour;
}

absl::Status PngError(absl::string_view what, const png_image& image) {
  return absl::InternalError(absl::StrCat("libpng cannot ", what, " the icon: ", image.message));
}

}  // namespace

absl::StatusOr<std::string> ModelIcon(absl::string_view png, absl::string_view name) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_memory(&image, png.data(), png.size())) return PngError("read", image);
  image.format = PNG_FORMAT_RGBA;
  std::vector<uint8_t> pixels(PNG_IMAGE_SIZE(image));
  if (!png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr)) return PngError("read", image);

  const int width = static_cast<int>(image.width);
  const int scale = std::max(width / kSmallestIcon, 1);  // Pixels of a dot.
  const std::vector<std::string> lines = Lines(name);
  const int rows = lines.empty() ? 0 : 1 + kLetterHeight * static_cast<int>(lines.size());
  const Rgba strip = StripColour(name), white = {255, 255, 255, 255};
  for (int y = 0; y < std::min(rows * scale, static_cast<int>(image.height)); ++y) {
    for (int x = 0; x < width; ++x) {
      const int row = y / scale - 1, column = x / scale;
      const size_t place = column / kLetterWidth;
      bool is_set = false;
      if (row >= 0) {
        const std::string& line = lines[row / kLetterHeight];
        is_set = place < line.size() && IsSet(line[place], column % kLetterWidth, row % kLetterHeight);
      }
      std::copy_n((is_set ? white : strip).begin(), strip.size(), &pixels[(int64_t{y} * width + x) * strip.size()]);
    }
  }

  png_alloc_size_t size = 0;
  const auto write = [&](void* bytes) {
    return png_image_write_to_memory(&image, bytes, &size, /*convert_to_8bit=*/0, pixels.data(), 0, nullptr);
  };
  if (!write(nullptr)) return PngError("write", image);
  std::string named(size, '\0');
  if (!write(named.data())) return PngError("write", image);
  named.resize(size);
  return named;
}

}  // namespace modelport
