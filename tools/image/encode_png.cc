#include "tools/image/encode_png.h"

#include <png.h>

#include <csetjmp>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace modelport {
namespace {

// Noise in pictures compresses badly at any level; this one is fast.
constexpr int kCompression = 3;

// Pixels as libpng takes them.
struct Rows {
  int width;
  int height;
  int colours;            // PNG_COLOR_TYPE_RGB or PNG_COLOR_TYPE_GRAY.
  int bits;               // Of a sample.
  const uint8_t* pixels;  // The samples of 16 bits in this machine's order.
  int64_t row_size;       // In bytes.
};

void Append(png_structp png, png_bytep data, size_t size) {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(data), size);
}

// Nothing here has a destructor: libpng leaves it by a jump when it fails.
bool Write(png_structp png, png_infop info, const Rows& rows, png_textp texts, int text_count, std::string* out) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_write_fn(png, out, Append, [](png_structp) {});
  png_set_compression_level(png, kCompression);
  png_set_IHDR(png, info, rows.width, rows.height, rows.bits, rows.colours, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_text(png, info, texts, text_count);
  png_write_info(png, info);
  if (rows.bits == 16) png_set_swap(png);
  for (int y = 0; y < rows.height; ++y) png_write_row(png, rows.pixels + y * rows.row_size);
  png_write_end(png, info);
  return true;
}

absl::StatusOr<std::string> Encode(const Rows& rows, const ImageTexts& texts) {
  std::vector<png_text> chunks(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    chunks[i].compression = PNG_TEXT_COMPRESSION_NONE;
    chunks[i].key = const_cast<char*>(texts[i].first.c_str());
    chunks[i].text = const_cast<char*>(texts[i].second.c_str());
    chunks[i].text_length = texts[i].second.size();
  }
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
  std::string bytes;
  const bool written =
      info != nullptr && Write(png, info, rows, chunks.data(), static_cast<int>(chunks.size()), &bytes);
  png_destroy_write_struct(&png, &info);
  if (!written) return absl::InternalError("libpng cannot write the image");
  return bytes;
}

absl::Status CheckSize(int width, int height, size_t elements, int64_t channels) {
  if (width > 0 && height > 0 && int64_t{width} * height * channels == static_cast<int64_t>(elements)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("an image of ", width, " x ", height, " pixels has ", elements,
                                                 " elements; wants ", channels, " for each pixel"));
}

}  // namespace

absl::StatusOr<std::string> EncodePng(int width, int height, absl::Span<const uint8_t> rgb, const ImageTexts& texts) {
  if (const absl::Status status = CheckSize(width, height, rgb.size(), 3); !status.ok()) return status;
  return Encode({width, height, PNG_COLOR_TYPE_RGB, 8, rgb.data(), int64_t{3} * width}, texts);
}

absl::StatusOr<std::string> EncodePng(int width, int height, absl::Span<const uint16_t> grey, const ImageTexts& texts) {
  if (const absl::Status status = CheckSize(width, height, grey.size(), 1); !status.ok()) return status;
  const auto* const bytes = reinterpret_cast<const uint8_t*>(grey.data());
  return Encode({width, height, PNG_COLOR_TYPE_GRAY, 16, bytes, int64_t{2} * width}, texts);
}

}  // namespace modelport
