#include <png.h>

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/status/status_macros.h"
#include "tools/image/decode.h"
#include "tools/image/orient.h"

namespace modelport {
namespace {

// A PNG file that is being decoded. Nothing in a method that calls libpng has a destructor, since an error jumps out of
// it to the caller.
class Png {
 public:
  explicit Png(absl::string_view file) : rest_(file) {}
  Png(const Png&) = delete;
  Png& operator=(const Png&) = delete;
  ~Png() { png_destroy_read_struct(&png_, &info_, nullptr); }

  absl::Status ReadHeader() {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, Fail, [](png_structp, png_const_charp) {});
    info_ = png_ == nullptr ? nullptr : png_create_info_struct(png_);
    if (info_ == nullptr) return absl::ResourceExhaustedError("no memory for a PNG decoder");
    if (setjmp(png_jmpbuf(png_)) != 0) return DamagedImage(message_);
    png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // PixelMemory has the limit.
    png_set_read_fn(png_, this, Read);
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_ALWAYS, reinterpret_cast<png_const_bytep>("cICP"), 1);
    png_read_info(png_, info_);
    return absl::OkStatus();
  }

  // `rows` are where the rows go, of so many channels, 3, or 4 with alpha: bytes or, if is_deep(), uint16_t.
  absl::Status ReadPixels(int channels, png_bytepp rows) {
    if (setjmp(png_jmpbuf(png_)) != 0) return DamagedImage(message_);
    png_set_expand(png_);
    png_set_gray_to_rgb(png_);
    if (channels == 3) png_set_strip_alpha(png_);
    if (is_deep()) png_set_swap(png_);
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    // A palette whose transparency stands before it has none.
    if (png_get_channels(png_, info_) != channels) png_error(png_, "channels that its header does not state");
    png_read_image(png_, rows);
    png_read_end(png_, info_);
    return absl::OkStatus();
  }

  int64_t width() const { return png_get_image_width(png_, info_); }
  int64_t height() const { return png_get_image_height(png_, info_); }
  bool is_deep() const { return png_get_bit_depth(png_, info_) == 16; }
  bool has_alpha() const {
    return (png_get_color_type(png_, info_) & PNG_COLOR_MASK_ALPHA) != 0 || png_get_valid(png_, info_, PNG_INFO_tRNS);
  }
  bool has_profile() const { return png_get_valid(png_, info_, PNG_INFO_iCCP) != 0; }

  // What the file states of its colours that is not sRGB, for the user; "" if it states nothing else. Of several
  // statements the strongest counts, as PNG orders them: cICP, iCCP, sRGB, then gAMA and cHRM.
  std::string OtherColours() const {
    if (const absl::string_view cicp = FindCicp(); cicp.size() == 4) {
      const auto code = [&](int i) { return static_cast<int>(static_cast<unsigned char>(cicp[i])); };
      constexpr int kRec709 = 1, kSrgb = 13;
      if (code(0) == kRec709 && code(1) == kSrgb) return "";
      return absl::StrCat("cICP ignored, of primaries ", code(0), " and transfer ", code(1), ": the colours ", kTaken);
    }
    if (has_profile()) return kProfileIgnored;
    if (png_get_valid(png_, info_, PNG_INFO_sRGB) != 0) return "";
    std::string ignored;
    double gamma = 0;
    if (png_get_gAMA(png_, info_, &gamma) != 0 && std::abs(gamma * 2.2 - 1) > 0.02) {
      ignored = absl::StrFormat("gAMA ignored, of %.4g", gamma);
    }
    if (HasOtherPrimaries()) absl::StrAppend(&ignored, ignored.empty() ? "" : ", and ", "cHRM ignored");
    return ignored.empty() ? "" : absl::StrCat(ignored, ": the colours ", kTaken);
  }

  int orientation() {
    png_bytep exif = nullptr;
    png_uint_32 size = 0;
    if (png_get_eXIf_1(png_, info_, &size, &exif) == 0) return 1;
    return ExifOrientation(
        absl::StrCat(absl::string_view("Exif\0\0", 6), absl::string_view(reinterpret_cast<const char*>(exif), size)));
  }

 private:
  static constexpr char kTaken[] = "are taken as sRGB";

  // The content of a cICP chunk, which this libpng does not know; "" without one.
  absl::string_view FindCicp() const {
    png_unknown_chunkp chunks = nullptr;
    const int count = png_get_unknown_chunks(png_, info_, &chunks);
    for (int i = 0; i < count; ++i) {
      if (std::memcmp(chunks[i].name, "cICP", 4) != 0) continue;
      return {reinterpret_cast<const char*>(chunks[i].data), chunks[i].size};
    }
    return "";
  }

  bool HasOtherPrimaries() const {
    constexpr double kSrgb[] = {0.3127, 0.329, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06};  // White, red, green, blue.
    double own[8] = {};
    if (png_get_cHRM(png_, info_, &own[0], &own[1], &own[2], &own[3], &own[4], &own[5], &own[6], &own[7]) == 0) {
      return false;
    }
    return !std::equal(std::begin(own), std::end(own), std::begin(kSrgb),
                       [](double a, double b) { return std::abs(a - b) < 1e-3; });
  }

  [[noreturn]] static void Fail(png_structp png, png_const_charp message) {
    Png& self = *static_cast<Png*>(png_get_error_ptr(png));
    std::strncpy(self.message_, message, sizeof(self.message_) - 1);
    png_longjmp(png, 1);
  }

  static void Read(png_structp png, png_bytep to, size_t size) {
    absl::string_view& rest = static_cast<Png*>(png_get_io_ptr(png))->rest_;
    if (rest.size() < size) png_error(png, "the file ends too early");
    std::memcpy(to, rest.data(), size);
    rest.remove_prefix(size);
  }

  absl::string_view rest_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  char message_[200] = {};
};

// Writes red, green and blue of the pixels at `from`, of `channels` samples each, to `to` or, of four channels, alpha
// for each of the three.
template <typename From, typename To, typename Convert>
void TakeChannels(const From* from, int channels, int64_t pixels, To* to, Convert convert) {
  for (int64_t i = 0; i < pixels; ++i, from += channels) {
    for (int c = 0; c < 3; ++c) *to++ = convert(from[channels == 3 ? c : 3]);
  }
}

// Reads pixels of `channels`. Samples of 16 bits are divided by their maximum.
absl::Status ReadPixels(Png& png, int channels, const PixelMemory& memory) {
  const int64_t pixels = png.width() * png.height(), row = png.width() * channels;
  float* const floats = memory.FloatRow(0);
  // The samples are read into the end of the floats' memory, where widening them, from the front, overwrites only
  // samples that are done.
  auto* const samples = reinterpret_cast<uint16_t*>(floats) + pixels * (6 - channels);
  uint8_t* const bytes = memory.ByteRow(0);
  std::vector<png_bytep> rows;
  for (int64_t y = 0; y < png.height(); ++y) {
    rows.push_back(png.is_deep() ? reinterpret_cast<png_bytep>(samples + y * row) : bytes + y * row);
  }
  RETURN_IF_ERROR(png.ReadPixels(channels, rows.data()));
  if (png.is_deep()) {
    TakeChannels(samples, channels, pixels, floats,
                 [](uint16_t sample) { return static_cast<float>(sample) / 65535.0f; });
  } else if (channels == 4) {
    TakeChannels(bytes, channels, pixels, bytes, [](uint8_t sample) { return sample; });
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Decoded> DecodePng(absl::string_view file, Content content, PixelMemory& memory) {
  Png png(file);
  RETURN_IF_ERROR(png.ReadHeader());
  RETURN_IF_ERROR(memory.Start(png.width(), png.height()));
  Decoded decoded = {
      .width = static_cast<int>(png.width()), .height = static_cast<int>(png.height()), .floats = png.is_deep()};
  const bool wants_alpha = content == Content::kAlpha;
  if (wants_alpha && !png.has_alpha()) return NoAlpha();
  if (!wants_alpha && png.has_alpha()) decoded.notes.emplace_back(kAlphaIgnored);
  if (std::string ignored = png.OtherColours(); !ignored.empty()) decoded.notes.push_back(std::move(ignored));
  RETURN_IF_ERROR(ReadPixels(png, wants_alpha ? 4 : 3, memory));
  decoded.orientation = png.orientation();  // The data may stand behind the pixels.
  return decoded;
}

}  // namespace modelport
