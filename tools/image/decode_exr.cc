#include <Imath/ImathMatrix.h>
#include <OpenEXR/IexThrowErrnoExc.h>
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfChromaticities.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfIO.h>
#include <OpenEXR/ImfInputFile.h>
#include <OpenEXR/ImfStandardAttributes.h>
#include <OpenEXR/ImfThreading.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/optional.h"
#include "common/status/status_macros.h"
#include "common/text/first_few.h"
#include "tools/image/decode.h"
#include "tools/image/transfer.h"

namespace modelport {
namespace {

// A file in memory, as OpenEXR reads it.
class MemoryStream : public Imf::IStream {
 public:
  explicit MemoryStream(absl::string_view bytes) : Imf::IStream("image"), bytes_(bytes) {}

  bool isMemoryMapped() const override { return true; }
  char* readMemoryMapped(int size) override {
    Check(size);
    char* const part = const_cast<char*>(bytes_.data()) + position_;
    position_ += size;
    return part;
  }
  bool read(char to[], int size) override {
    std::memcpy(to, readMemoryMapped(size), size);
    return position_ < bytes_.size();
  }
  uint64_t tellg() override { return position_; }
  void seekg(uint64_t position) override { position_ = position; }

 private:
  void Check(int size) const {
    if (size < 0 || position_ > bytes_.size() || bytes_.size() - position_ < static_cast<uint64_t>(size)) {
      Iex::throwErrnoExc("the file ends too early", ENODATA);
    }
  }

  const absl::string_view bytes_;
  uint64_t position_ = 0;
};

struct Window {
  int64_t left, top, width, height;
};

Window ToWindow(const Imath::Box2i& box) {
  return {box.min.x, box.min.y, int64_t{box.max.x} - box.min.x + 1, int64_t{box.max.y} - box.min.y + 1};
}

bool Has(const Imf::ChannelList& channels, const std::string& name) {
  const Imf::Channel* const channel = channels.findChannel(name);
  return channel != nullptr && channel->xSampling == 1 && channel->ySampling == 1;
}

std::vector<std::string> NamesOf(const Imf::ChannelList& channels) {
  std::vector<std::string> names;
  for (auto channel = channels.begin(); channel != channels.end(); ++channel) names.emplace_back(channel.name());
  return names;
}

// The channels of red, green and blue.
absl::StatusOr<std::vector<std::string>> ChooseChannels(const Imf::ChannelList& channels) {
  if (Has(channels, "R") && Has(channels, "G") && Has(channels, "B")) return std::vector<std::string>{"R", "G", "B"};
  if (Has(channels, "Y") && channels.findChannel("RY") == nullptr) return std::vector<std::string>{"Y"};
  return absl::UnimplementedError(
      absl::StrCat("wants the channels R, G and B, or Y, not subsampled; has ", FirstFew(NamesOf(channels))));
}

// The channel of depth.
absl::StatusOr<std::vector<std::string>> ChooseDepth(const Imf::ChannelList& channels) {
  std::vector<std::string> names = NamesOf(channels);
  if (names.size() == 1 && Has(channels, names[0])) return names;
  for (const char* const name : {"depth.Z", "Z", "Y", "R"}) {
    if (Has(channels, name)) return std::vector<std::string>{name};
  }
  return absl::UnimplementedError(
      absl::StrCat("wants a channel depth.Z, Z, Y or R, not subsampled; has ", FirstFew(names)));
}

absl::StatusOr<std::vector<std::string>> ChooseAlpha(const Imf::ChannelList& channels) {
  if (Has(channels, "A")) return std::vector<std::string>{"A"};
  return NoAlpha();
}

// Reads the channels `names` of the data window `data` into `pixels`, one after the other in each pixel.
void ReadChannels(Imf::InputFile& file, const std::vector<std::string>& names, const Window& data,
                  std::vector<float>& pixels) {
  const int64_t pixel = sizeof(float) * names.size(), row = pixel * data.width;
  Imf::FrameBuffer buffer;
  for (size_t i = 0; i < names.size(); ++i) {
    // OpenEXR counts from pixel 0, 0, which may lie outside of the data window.
    const auto base = reinterpret_cast<intptr_t>(pixels.data() + i) - data.left * pixel - data.top * row;
    buffer.insert(names[i], Imf::Slice(Imf::FLOAT, reinterpret_cast<char*>(base), pixel, row));
  }
  file.setFrameBuffer(buffer);
  file.readPixels(static_cast<int>(data.top), static_cast<int>(data.top + data.height - 1));
}

// What one colour of a space with primaries of its own is in that of sRGB. Vectors are rows: rgb * matrix.
using Colours = Imath::M44d;

// X, Y and Z of a white of the luminance 1.
Imath::V3d WhiteOf(const Imf::Chromaticities& space) {
  const Imath::V2d white(space.white.x, space.white.y);
  return {white.x / white.y, 1, (1 - white.x - white.y) / white.y};
}

// The colours of `space` in sRGB's primaries, with its white adapted by Bradford's method.
Colours ToSrgbPrimaries(const Imf::Chromaticities& space) {
  const Imf::Chromaticities srgb;  // Those of Rec. 709.
  const Imath::M44d cones(0.8951, -0.7502, 0.0389, 0, 0.2664, 1.7135, -0.0685, 0, -0.1614, 0.0367, 1.0296, 0, 0, 0, 0,
                          1);
  const Imath::V3d from = WhiteOf(space) * cones, to = WhiteOf(srgb) * cones;
  Imath::M44d scale;
  scale.setScale(to / from);
  return Imath::M44d(Imf::RGBtoXYZ(space, 1)) * cones * scale * cones.inverse() * Imath::M44d(Imf::XYZtoRGB(srgb, 1));
}

bool IsColourSpace(const Colours& colours) {
  for (const auto& row : colours.x) {
    for (const double value : row) {
      if (!std::isfinite(value) || std::abs(value) > 1000) return false;
    }
  }
  return true;
}

// The primaries of the file, if it states others than sRGB's. Programs write the same ones with a few digits.
absl::optional<Imf::Chromaticities> OtherPrimaries(const Imf::Header& header) {
  if (!Imf::hasChromaticities(header)) return absl::nullopt;
  const Imf::Chromaticities own = Imf::chromaticities(header), srgb;
  const auto near = [](const Imath::V2f& a, const Imath::V2f& b) { return (a - b).length() < 1e-3f; };
  if (near(own.red, srgb.red) && near(own.green, srgb.green) && near(own.blue, srgb.blue) &&
      near(own.white, srgb.white)) {
    return absl::nullopt;
  }
  return own;
}

// Converts `pixels`, of three channels each, and says so in a note.
absl::Status ConvertPrimaries(const Imf::Header& header, std::vector<float>& pixels, Decoded& decoded) {
  const absl::optional<Imf::Chromaticities> own = OtherPrimaries(header);
  if (!own) return absl::OkStatus();
  const Colours colours = ToSrgbPrimaries(*own);
  if (!IsColourSpace(colours)) return DamagedImage("its chromaticities are no colours");
  for (size_t i = 0; i + 2 < pixels.size(); i += 3) {
    const Imath::V3d rgb = Imath::V3d(pixels[i], pixels[i + 1], pixels[i + 2]) * colours;
    for (int c = 0; c < 3; ++c) pixels[i + c] = static_cast<float>(rgb[c]);
  }
  decoded.notes.push_back(absl::StrFormat(
      "primaries converted to sRGB's, from red %.4g %.4g, green %.4g %.4g, blue %.4g %.4g, white %.4g %.4g", own->red.x,
      own->red.y, own->green.x, own->green.y, own->blue.x, own->blue.y, own->white.x, own->white.y));
  return absl::OkStatus();
}

// Copies what the display window shows, colours as sRGB; the rest of it is 0. Returns the number of values that are NaN
// or, of alpha and depth, not finite.
int64_t CopyDisplay(const std::vector<float>& pixels, int64_t channels, const Window& data, const Window& display,
                    Content content, const PixelMemory& memory) {
  int64_t unusable = 0;
  for (int64_t y = 0; y < display.height; ++y) {
    float* to = memory.FloatRow(y);
    const int64_t row = display.top + y - data.top;
    for (int64_t x = 0; x < display.width; ++x) {
      const int64_t column = display.left + x - data.left;
      const bool inside = row >= 0 && row < data.height && column >= 0 && column < data.width;
      for (int i = 0; i < 3; ++i) {
        const float value = inside ? pixels[(row * data.width + column) * channels + i % channels] : 0;
        const bool is_colour = content == Content::kColours;
        const bool is_usable = is_colour ? !std::isnan(value) : std::isfinite(value);
        unusable += i < channels && !is_usable ? 1 : 0;
        *to++ = is_colour ? LinearToSrgb(value) : is_usable ? value : 0;
      }
    }
  }
  return unusable;
}

// The number of the compression that the header states; nullopt if that is not found. OpenEXR calls a file damaged
// whose compression is newer than it is.
absl::optional<int> StatedCompression(absl::string_view bytes) {
  constexpr size_t kHeader = 1 << 16, kSizeBytes = 4;
  constexpr absl::string_view kAttribute("compression\0compression\0", 24);
  const size_t found = bytes.substr(0, kHeader).find(kAttribute);
  const size_t value = found + kAttribute.size() + kSizeBytes;
  if (found == bytes.npos || value >= bytes.size()) return absl::nullopt;
  return static_cast<unsigned char>(bytes[value]);
}

absl::Status CheckCompression(absl::string_view bytes) {
  constexpr int kNewestRead = 9, kHtj2k256 = 10, kHtj2k32 = 11;
  const int number = StatedCompression(bytes).value_or(0);
  if (number <= kNewestRead) return absl::OkStatus();
  const bool is_htj2k = number == kHtj2k256 || number == kHtj2k32;
  return absl::UnimplementedError(absl::StrCat(
      "is compressed ", is_htj2k ? "with HTJ2K" : absl::StrCat("by method ", number),
      ", which is not read\n  save it with ZIP, PIZ or DWAA: oiiotool IN.exr --compression zip -o OUT.exr"));
}

absl::Status Decode(absl::string_view bytes, Content content, PixelMemory& memory, Decoded& decoded) {
  RETURN_IF_ERROR(CheckCompression(bytes));
  Imf::setGlobalThreadCount(0);
  MemoryStream stream(bytes);
  Imf::InputFile file(stream, /*numThreads=*/0);
  const Window data = ToWindow(file.header().dataWindow()), display = ToWindow(file.header().displayWindow());
  RETURN_IF_ERROR(memory.Start(data.width, data.height));
  RETURN_IF_ERROR(memory.Start(display.width, display.height));
  const auto choose = content == Content::kDepth   ? ChooseDepth
                      : content == Content::kAlpha ? ChooseAlpha
                                                   : ChooseChannels;
  ASSIGN_OR_RETURN(const std::vector<std::string> names, choose(file.header().channels()));
  std::vector<float> pixels(data.width * data.height * names.size());
  ReadChannels(file, names, data, pixels);
  if (names.size() == 3) RETURN_IF_ERROR(ConvertPrimaries(file.header(), pixels, decoded));
  const int64_t unusable = CopyDisplay(pixels, names.size(), data, display, content, memory);
  decoded.width = static_cast<int>(display.width);
  decoded.height = static_cast<int>(display.height);
  decoded.floats = true;
  if (content != Content::kColours) {
    if (unusable > 0) decoded.notes.push_back(NotFiniteNote(unusable));
    return absl::OkStatus();
  }
  decoded.notes.emplace_back(kSceneLinear);
  const float aspect = file.header().pixelAspectRatio();
  decoded.plate = {static_cast<int>(display.left), static_cast<int>(display.top), aspect};
  if (std::abs(aspect - 1) > 1e-3f) {
    decoded.notes.push_back(absl::StrFormat("pixel aspect ratio %.4g: the model takes the pixels as square", aspect));
  }
  if (unusable > 0) decoded.notes.push_back(absl::StrCat(unusable, " NaN taken as 0"));
  if (file.header().channels().findChannel("A") != nullptr) decoded.notes.emplace_back(kAlphaIgnored);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Decoded> DecodeExr(absl::string_view file, Content content, PixelMemory& memory) {
  Decoded decoded;
  RETURN_IF_ERROR(CatchExr([&] { return Decode(file, content, memory, decoded); }));
  return decoded;
}

}  // namespace modelport
