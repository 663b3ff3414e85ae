#include <tiffio.h>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"
#include "tools/image/decode.h"
#include "tools/image/transfer.h"

namespace modelport {
namespace {

// A file in memory, as libtiff reads it.
struct MemoryFile {
  absl::string_view bytes;
  uint64_t position = 0;
};

tmsize_t Read(thandle_t handle, void* to, tmsize_t size) {
  MemoryFile& file = *static_cast<MemoryFile*>(handle);
  if (file.position >= file.bytes.size()) return 0;
  const absl::string_view part = file.bytes.substr(file.position, size);
  std::memcpy(to, part.data(), part.size());
  file.position += part.size();
  return static_cast<tmsize_t>(part.size());
}

tmsize_t Write(thandle_t, void*, tmsize_t) { return -1; }

toff_t Seek(thandle_t handle, toff_t offset, int from) {
  MemoryFile& file = *static_cast<MemoryFile*>(handle);
  if (from == SEEK_CUR) offset += file.position;
  if (from == SEEK_END) offset += file.bytes.size();
  return file.position = offset;
}

int Close(thandle_t) { return 0; }

toff_t Size(thandle_t handle) { return static_cast<MemoryFile*>(handle)->bytes.size(); }

int Map(thandle_t handle, void** base, toff_t* size) {
  const absl::string_view bytes = static_cast<MemoryFile*>(handle)->bytes;
  *base = const_cast<char*>(bytes.data());
  *size = bytes.size();
  return 1;
}

void Unmap(thandle_t, void*, toff_t) {}

// libtiff's last error. Its handlers are functions without a state of their own.
std::string& LastError() {
  static auto* const error = new std::string;
  return *error;
}

void KeepError(const char*, const char* format, va_list arguments) {
  char text[200];
  std::vsnprintf(text, sizeof(text), format, arguments);
  LastError() = text;
}

// The last warning, kept apart: those of a directory, of unknown tags for example, do no harm. A codec's mean that
// pixels are missing, of a truncated JPEG for example.
std::string& LastWarning() {
  static auto* const warning = new std::string;
  return *warning;
}

void KeepWarning(const char*, const char* format, va_list arguments) {
  char text[200];
  std::vsnprintf(text, sizeof(text), format, arguments);
  LastWarning() = text;
}

using Tiff = std::unique_ptr<TIFF, void (*)(TIFF*)>;

uint16_t Field(const Tiff& tiff, uint32_t tag) {
  uint16_t value = 0;
  TIFFGetFieldDefaulted(tiff.get(), tag, &value);
  return value;
}

absl::Status Damaged() { return DamagedImage(LastError()); }

// Samples of more than 8 bits, all of one pixel together.
struct DeepFormat {
  int channels;
  bool floats;    // Of 32 bits; else integers of 16.
  bool inverted;  // 0 is white.
};

// A row of `format` as RGB in 0..1, or its alpha three times, with 0 for what is not finite. Returns the number of
// those.
int64_t ConvertRow(const char* row, const DeepFormat& format, Content content, int64_t width, float* rgb) {
  const bool is_colour = content != Content::kAlpha;
  int64_t unusable = 0;
  for (int64_t x = 0; x < width; ++x) {
    for (int i = 0; i < 3; ++i) {
      const int channel = is_colour ? (format.channels < 3 ? 0 : i) : (format.channels < 3 ? 1 : 3);
      const int64_t sample = x * format.channels + channel;
      if (format.floats) {
        float value;
        std::memcpy(&value, row + sample * sizeof(value), sizeof(value));
        const bool is_usable = is_colour || std::isfinite(value);
        unusable += i == 0 && !is_usable ? 1 : 0;
        *rgb++ = is_colour ? LinearToSrgb(value) : is_usable ? value : 0;
      } else {
        uint16_t value;
        std::memcpy(&value, row + sample * sizeof(value), sizeof(value));
        *rgb++ = static_cast<float>(is_colour && format.inverted ? 65535 - value : value) / 65535.0f;
      }
    }
  }
  return unusable;
}

absl::StatusOr<DeepFormat> ParseDeepFormat(const Tiff& tiff) {
  const int bits = Field(tiff, TIFFTAG_BITSPERSAMPLE), sample = Field(tiff, TIFFTAG_SAMPLEFORMAT);
  const int channels = Field(tiff, TIFFTAG_SAMPLESPERPIXEL), colours = Field(tiff, TIFFTAG_PHOTOMETRIC);
  const bool floats = bits == 32 && sample == SAMPLEFORMAT_IEEEFP;
  const bool grey = colours == PHOTOMETRIC_MINISBLACK || (colours == PHOTOMETRIC_MINISWHITE && !floats);
  if ((floats || (bits == 16 && sample == SAMPLEFORMAT_UINT)) && !TIFFIsTiled(tiff.get()) &&
      Field(tiff, TIFFTAG_PLANARCONFIG) == PLANARCONFIG_CONTIG &&
      ((grey && channels < 3 && channels > 0) || (colours == PHOTOMETRIC_RGB && channels >= 3))) {
    return DeepFormat{channels, floats, colours == PHOTOMETRIC_MINISWHITE};
  }
  return absl::UnimplementedError(absl::StrCat(
      "a TIFF of ", channels, " x ", bits, " bits, sample format ", sample, ", photometric ", colours,
      TIFFIsTiled(tiff.get()) ? ", in tiles" : "",
      ": wants 8 bits of any kind, or grey or RGB in strips, of 16 bits or of 32-bit floats; save it as one of these"));
}

absl::Status ReadDeep(const Tiff& tiff, const DeepFormat& format, Content content, Decoded& decoded,
                      const PixelMemory& memory) {
  const int64_t row_size = int64_t{decoded.width} * format.channels * (format.floats ? 4 : 2);
  if (TIFFScanlineSize64(tiff.get()) != static_cast<uint64_t>(row_size)) return DamagedImage("rows of a wrong size");
  std::vector<char> row(row_size);
  int64_t unusable = 0;
  for (int y = 0; y < decoded.height; ++y) {
    if (TIFFReadScanline(tiff.get(), row.data(), y) != 1) return Damaged();
    unusable += ConvertRow(row.data(), format, content, decoded.width, memory.FloatRow(y));
  }
  decoded.floats = true;
  if (format.floats && content != Content::kAlpha) decoded.notes.emplace_back(kSceneLinear);
  if (unusable > 0) decoded.notes.push_back(NotFiniteNote(unusable));
  return absl::OkStatus();
}

// libtiff converts these to RGBA itself.
absl::Status ReadShallow(const Tiff& tiff, Content content, const Decoded& decoded, const PixelMemory& memory) {
  if (const int sample = Field(tiff, TIFFTAG_SAMPLEFORMAT);
      sample != SAMPLEFORMAT_UINT && sample != SAMPLEFORMAT_VOID) {
    return absl::UnimplementedError(absl::StrCat("a TIFF of 8 bits with the sample format ", sample,
                                                 ", such as signed numbers: save it with unsigned ones"));
  }
  // It would multiply the colours by a straight alpha, and take a channel of no stated kind for none. As premultiplied
  // ones all stay as they are.
  uint16_t count = 0, *kinds = nullptr;
  TIFFGetFieldDefaulted(tiff.get(), TIFFTAG_EXTRASAMPLES, &count, &kinds);
  if (content == Content::kAlpha || (count > 0 && kinds[0] == EXTRASAMPLE_UNASSALPHA)) {
    std::vector<uint16_t> extra(kinds, kinds + count);
    extra.resize(std::max<size_t>(count, 1));
    extra[0] = EXTRASAMPLE_ASSOCALPHA;
    TIFFSetField(tiff.get(), TIFFTAG_EXTRASAMPLES, static_cast<int>(extra.size()), extra.data());
  }
  std::vector<uint32_t> pixels(int64_t{decoded.width} * decoded.height);
  if (TIFFReadRGBAImageOriented(tiff.get(), decoded.width, decoded.height, pixels.data(), decoded.orientation, 1) !=
      1) {
    return Damaged();
  }
  uint8_t* to = memory.ByteRow(0);
  for (const uint32_t pixel : pixels) {
    const bool is_colour = content != Content::kAlpha;
    *to++ = is_colour ? TIFFGetR(pixel) : TIFFGetA(pixel);
    *to++ = is_colour ? TIFFGetG(pixel) : TIFFGetA(pixel);
    *to++ = is_colour ? TIFFGetB(pixel) : TIFFGetA(pixel);
  }
  return absl::OkStatus();
}

// Whether one channel is left beside grey or red, green and blue.
bool HasAlpha(const Tiff& tiff) {
  const int colours = Field(tiff, TIFFTAG_PHOTOMETRIC), channels = Field(tiff, TIFFTAG_SAMPLESPERPIXEL);
  const bool grey = colours == PHOTOMETRIC_MINISBLACK || colours == PHOTOMETRIC_MINISWHITE;
  return (grey && channels == 2) || (colours == PHOTOMETRIC_RGB && channels == 4);
}

std::vector<std::string> Notes(const Tiff& tiff, Content content) {
  std::vector<std::string> notes;
  if (Field(tiff, TIFFTAG_PHOTOMETRIC) == PHOTOMETRIC_SEPARATED) {
    notes.emplace_back("CMYK converted to RGB without a profile");
  }
  if (content != Content::kAlpha && HasAlpha(tiff)) notes.emplace_back(kAlphaIgnored);
  uint32_t size = 0;
  void* profile = nullptr;
  if (TIFFGetField(tiff.get(), TIFFTAG_ICCPROFILE, &size, &profile) == 1) notes.emplace_back(kProfileIgnored);
  // Not by reading the next page, which may be damaged.
  if (TIFFLastDirectory(tiff.get()) == 0) notes.emplace_back("several pages: the first is read");
  return notes;
}

}  // namespace

absl::StatusOr<Decoded> DecodeTiff(absl::string_view bytes, Content content, PixelMemory& memory) {
  TIFFSetErrorHandler(KeepError);
  TIFFSetWarningHandler(KeepWarning);
  MemoryFile file = {bytes};
  const Tiff tiff(TIFFClientOpen("image", "r", &file, Read, Write, Seek, Close, Size, Map, Unmap), TIFFClose);
  if (tiff == nullptr) return Damaged();
  uint32_t width = 0, height = 0;
  TIFFGetField(tiff.get(), TIFFTAG_IMAGEWIDTH, &width);
  TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &height);
  RETURN_IF_ERROR(memory.Start(width, height));
  if (content == Content::kAlpha && !HasAlpha(tiff)) return NoAlpha();
  Decoded decoded = {.width = static_cast<int>(width), .height = static_cast<int>(height)};
  const int orientation = Field(tiff, TIFFTAG_ORIENTATION);
  decoded.orientation = orientation >= 1 && orientation <= 8 ? orientation : 1;
  decoded.notes = Notes(tiff, content);
  LastWarning().clear();
  if (Field(tiff, TIFFTAG_BITSPERSAMPLE) <= 8) {
    RETURN_IF_ERROR(ReadShallow(tiff, content, decoded, memory));
  } else {
    ASSIGN_OR_RETURN(const DeepFormat format, ParseDeepFormat(tiff));
    RETURN_IF_ERROR(ReadDeep(tiff, format, content, decoded, memory));
  }
  if (!LastWarning().empty()) return DamagedImage(LastWarning());
  return decoded;
}

}  // namespace modelport
