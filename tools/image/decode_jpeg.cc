#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tools/image/decode.h"

// They need the headers above.
#include <jerror.h>
#include <jpeglib.h>

#include "absl/strings/match.h"
#include "common/status/status_macros.h"
#include "tools/image/orient.h"

namespace modelport {
namespace {

// Each scan of a progressive file costs the time of a whole image; programs write 10 or so.
constexpr int kMaxScans = 64;

constexpr int kExifMarker = JPEG_APP0 + 1;
constexpr int kProfileMarker = JPEG_APP0 + 2;

// What libjpeg reports of errors. It must be able to leave the library by a jump.
struct Errors {
  jpeg_error_mgr library;  // libjpeg knows only this first member.
  std::jmp_buf end;
  char message[JMSG_LENGTH_MAX];
};

[[noreturn]] void Fail(j_common_ptr info) {
  Errors& errors = *reinterpret_cast<Errors*>(info->err);
  errors.library.format_message(info, errors.message);
  std::longjmp(errors.end, 1);
}

// libjpeg fills the rest of a truncated image with grey, and only warns.
void FailOnWarning(j_common_ptr info, int level) {
  if (level < 0 && info->err->msg_code != JWRN_EXTRANEOUS_DATA) Fail(info);
}

void FailOnManyScans(j_common_ptr info) {
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= kMaxScans) return;
  Errors& errors = *reinterpret_cast<Errors*>(info->err);
  std::snprintf(errors.message, sizeof(errors.message), "has more than %d scans", kMaxScans);
  std::longjmp(errors.end, 1);
}

// The inks of CMYK as RGB. Files of Adobe hold them inverted.
void ConvertInks(const uint8_t* inks, bool inverted, int width, uint8_t* rgb) {
  for (int x = 0; x < width; ++x, inks += 4) {
    const int black = inverted ? inks[3] : 255 - inks[3];
    for (int i = 0; i < 3; ++i) *rgb++ = ((inverted ? inks[i] : 255 - inks[i]) * black + 127) / 255;
  }
}

// A JPEG file that is being decoded. Nothing in a method that calls libjpeg has a destructor, since an error jumps out
// of it to the caller.
class Jpeg {
 public:
  explicit Jpeg(absl::string_view file) : file_(file) {
    info_.err = jpeg_std_error(&errors_.library);
    errors_.library.error_exit = Fail;
    errors_.library.emit_message = FailOnWarning;
  }
  Jpeg(const Jpeg&) = delete;
  Jpeg& operator=(const Jpeg&) = delete;
  ~Jpeg() { jpeg_destroy_decompress(&info_); }

  absl::Status ReadHeader() {
    if (setjmp(errors_.end) != 0) return DamagedImage(errors_.message);
    jpeg_create_decompress(&info_);
    jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(file_.data()), file_.size());
    jpeg_save_markers(&info_, kExifMarker, 0xffff);
    jpeg_save_markers(&info_, kProfileMarker, 0xffff);
    info_.progress = &progress_;
    progress_.progress_monitor = FailOnManyScans;
    jpeg_read_header(&info_, TRUE);
    return absl::OkStatus();
  }

  // `inks` has room for a row of CMYK.
  absl::Status ReadPixels(const PixelMemory& memory, uint8_t* inks) {
    if (setjmp(errors_.end) != 0) return DamagedImage(errors_.message);
    info_.out_color_space = HasInks() ? JCS_CMYK : JCS_RGB;
    jpeg_start_decompress(&info_);
    while (info_.output_scanline < info_.output_height) {
      uint8_t* const rgb = memory.ByteRow(info_.output_scanline);
      uint8_t* row = HasInks() ? inks : rgb;
      jpeg_read_scanlines(&info_, &row, 1);
      if (HasInks()) ConvertInks(inks, info_.saw_Adobe_marker, width(), rgb);
    }
    jpeg_finish_decompress(&info_);
    return absl::OkStatus();
  }

  int width() const { return static_cast<int>(info_.image_width); }
  int height() const { return static_cast<int>(info_.image_height); }
  bool HasInks() const { return info_.jpeg_color_space == JCS_CMYK || info_.jpeg_color_space == JCS_YCCK; }

  // The first of the file's markers of this kind that begins with `prefix`; "" if there is none.
  absl::string_view Marker(int kind, absl::string_view prefix) const {
    for (const jpeg_marker_struct* marker = info_.marker_list; marker != nullptr; marker = marker->next) {
      const absl::string_view data(reinterpret_cast<const char*>(marker->data), marker->data_length);
      if (marker->marker == kind && absl::StartsWith(data, prefix)) return data;
    }
    return "";
  }

 private:
  const absl::string_view file_;
  jpeg_decompress_struct info_ = {};
  Errors errors_ = {};
  jpeg_progress_mgr progress_ = {};
};

}  // namespace

absl::StatusOr<Decoded> DecodeJpeg(absl::string_view file, Content content, PixelMemory& memory) {
  if (content == Content::kAlpha) return NoAlpha();
  Jpeg jpeg(file);
  RETURN_IF_ERROR(jpeg.ReadHeader());
  RETURN_IF_ERROR(memory.Start(jpeg.width(), jpeg.height()));
  Decoded decoded = {.width = jpeg.width(), .height = jpeg.height()};
  if (const absl::string_view exif = jpeg.Marker(kExifMarker, "Exif"); !exif.empty()) {
    decoded.orientation = ExifOrientation(exif);
  }
  if (jpeg.HasInks()) decoded.notes.emplace_back("CMYK converted to RGB without a profile");
  if (!jpeg.Marker(kProfileMarker, "ICC_PROFILE").empty()) decoded.notes.emplace_back(kProfileIgnored);
  std::vector<uint8_t> inks(jpeg.HasInks() ? int64_t{4} * jpeg.width() : 0);
  RETURN_IF_ERROR(jpeg.ReadPixels(memory, inks.data()));
  return decoded;
}

}  // namespace modelport
