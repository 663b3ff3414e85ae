// The decoders of the formats, and what they have in common.
#ifndef MODELPORT_TOOLS_IMAGE_DECODE_H_
#define MODELPORT_TOOLS_IMAGE_DECODE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tools/image/picture.h"

namespace modelport {

// What is wanted of a file.
enum class Content {
  kColours,
  kAlpha,  // As it is, into red, green and blue alike.
  kDepth,  // The same of the channel of depth, which EXR files have.
};

// A decoder's answer. The pixels are in its PixelMemory, R G B, in the order of the file.
struct Decoded {
  int width = 0;
  int height = 0;
  bool floats = false;  // The pixels are floats instead of bytes, colours in 0..1.
  Plate plate = {};
  int orientation = 1;                  // Where the first row and column belong, as EXIF and TIFF number it: 1..8.
  std::vector<std::string> notes = {};  // What the user has to know: "alpha ignored".
};

// The memory that a decoder fills.
class PixelMemory {
 public:
  explicit PixelMemory(absl::Span<char> memory) : memory_(memory) {}

  // Checks that an image of this size fits, before anything of its size is allocated or decoded.
  //   InvalidArgument     a side is not in 1..2^30
  //   ResourceExhausted   too many pixels
  absl::Status Start(int64_t width, int64_t height);

  uint8_t* ByteRow(int64_t row) const { return reinterpret_cast<uint8_t*>(memory_.data()) + row * width_ * 3; }
  float* FloatRow(int64_t row) const { return reinterpret_cast<float*>(memory_.data()) + row * width_ * 3; }

 private:
  absl::Span<char> memory_;
  int64_t width_ = 0;
};

// Bytes of PixelMemory that an image of `pixels` pixels may need.
constexpr int64_t PixelBytes(int64_t pixels) { return pixels * 3 * static_cast<int64_t>(sizeof(float)); }

// The error of a file that a library cannot decode. `message` is the library's.
absl::Status DamagedImage(absl::string_view message);

// The error of a file whose alpha is wanted.
absl::Status NoAlpha();

// What the user has to know of `count` values of alpha or depth that are not finite.
std::string NotFiniteNote(int64_t count);

inline constexpr char kProfileIgnored[] = "ICC profile ignored: the colours are taken as sRGB";
inline constexpr char kSceneLinear[] = "scene-linear: converted to sRGB, clipped to 0..1";

// Calls `run`, which calls OpenEXR, and turns its exceptions into DataLoss. Its own status is returned as it is.
absl::Status CatchExr(absl::FunctionRef<absl::Status()> run);

// The decoders give alpha and depth too, with 0 for what is not finite, of which a note tells. Call them in a confined
// process.
//   DataLoss           damaged or truncated
//   FailedPrecondition alpha is wanted of a file that has none
//   others             as PixelMemory::Start

// Decodes the display window of an EXR file, from its channels R, G and B, or Y, to floats, and converts them from
// scene-linear to sRGB. Its depth is the channel depth.Z, Z, Y or R, or the only one.
//   Unimplemented   an EXR file without these channels, or with a compression that OpenEXR got later
absl::StatusOr<Decoded> DecodeExr(absl::string_view file, Content content, PixelMemory& memory);

// Decodes a JPEG file to bytes. Grey and CMYK become RGB.
absl::StatusOr<Decoded> DecodeJpeg(absl::string_view file, Content content, PixelMemory& memory);

// Decodes a PNG file: to floats if it has 16 bits, else to bytes. Grey, also that of depth, and palettes become RGB.
absl::StatusOr<Decoded> DecodePng(absl::string_view file, Content content, PixelMemory& memory);

// Decodes the first page of a TIFF file: to floats if it has 16 bits or floats, whose colours are taken as
// scene-linear, else to bytes.
//   Unimplemented   a kind of TIFF that few programs write
absl::StatusOr<Decoded> DecodeTiff(absl::string_view file, Content content, PixelMemory& memory);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_IMAGE_DECODE_H_
