#include "tools/image/encode_exr.h"

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfIO.h>
#include <OpenEXR/ImfOutputFile.h>
#include <OpenEXR/ImfStringAttribute.h>

#include <algorithm>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"
#include "tools/image/decode.h"

namespace modelport {
namespace {

// Collects what OpenEXR writes. It goes back to fill in the offsets of the rows.
class MemoryStream : public Imf::OStream {
 public:
  MemoryStream() : Imf::OStream("image") {}

  void write(const char from[], int size) override {
    bytes_.resize(std::max<size_t>(bytes_.size(), position_ + size));
    std::copy_n(from, size, bytes_.begin() + static_cast<int64_t>(position_));
    position_ += size;
  }
  uint64_t tellp() override { return position_; }
  void seekp(uint64_t position) override { position_ = position; }

  std::string& bytes() { return bytes_; }

 private:
  std::string bytes_;
  uint64_t position_ = 0;
};

absl::Status Write(const Imf::Header& header, const Imf::FrameBuffer& buffer, MemoryStream& stream) {
  Imf::OutputFile file(stream, header, /*numThreads=*/0);
  file.setFrameBuffer(buffer);
  file.writePixels(header.dataWindow().max.y - header.dataWindow().min.y + 1);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> EncodeExr(int width, int height, const std::vector<ExrChannel>& channels,
                                      const ImageTexts& texts, const Plate& plate) {
  const Imath::Box2i window({plate.left, plate.top}, {plate.left + width - 1, plate.top + height - 1});
  Imf::Header header(window, window, plate.pixel_aspect);
  header.compression() = Imf::ZIP_COMPRESSION;
  for (const auto& [key, text] : texts) header.insert(key, Imf::StringAttribute(text));
  Imf::FrameBuffer buffer;
  for (const ExrChannel& channel : channels) {
    if (static_cast<int64_t>(channel.values.size()) != int64_t{width} * height) {
      return absl::InvalidArgumentError(absl::StrCat("channel ", channel.name, ": wants ", width, " x ", height,
                                                     " values, has ", channel.values.size()));
    }
    header.channels().insert(channel.name, Imf::Channel(Imf::FLOAT));
    // OpenEXR counts from pixel 0, 0, which may lie outside of the window.
    const int64_t before = int64_t{plate.top} * width + plate.left;
    const auto base = reinterpret_cast<intptr_t>(channel.values.data()) - before * static_cast<int64_t>(sizeof(float));
    buffer.insert(channel.name,
                  Imf::Slice(Imf::FLOAT, reinterpret_cast<char*>(base), sizeof(float), sizeof(float) * width));
  }
  MemoryStream stream;
  RETURN_IF_ERROR(CatchExr([&] { return Write(header, buffer, stream); }));
  return std::move(stream.bytes());
}

}  // namespace modelport
