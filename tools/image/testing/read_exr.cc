#include "tools/image/testing/read_exr.h"

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfInputFile.h>
#include <OpenEXR/ImfStringAttribute.h>

#include <cstdint>

namespace modelport {

ExrContent ReadExr(const std::string& path) {
  Imf::InputFile file(path.c_str());
  const Imath::Box2i window = file.header().dataWindow();
  ExrContent content;
  content.left = window.min.x;
  content.top = window.min.y;
  content.width = window.max.x - window.min.x + 1;
  content.height = window.max.y - window.min.y + 1;
  content.pixel_aspect = file.header().pixelAspectRatio();
  Imf::FrameBuffer buffer;
  const Imf::ChannelList& channels = file.header().channels();
  for (auto channel = channels.begin(); channel != channels.end(); ++channel) {
    std::vector<float>& values = content.channels[channel.name()];
    values.resize(content.width * content.height);
    const int before = content.top * content.width + content.left;
    const auto base = reinterpret_cast<intptr_t>(values.data()) - before * static_cast<intptr_t>(sizeof(float));
    buffer.insert(channel.name(),
                  Imf::Slice(Imf::FLOAT, reinterpret_cast<char*>(base), sizeof(float), sizeof(float) * content.width));
  }
  file.setFrameBuffer(buffer);
  file.readPixels(window.min.y, window.max.y);
  for (auto attribute = file.header().begin(); attribute != file.header().end(); ++attribute) {
    if (const auto* const text = dynamic_cast<const Imf::StringAttribute*>(&attribute.attribute())) {
      content.texts[attribute.name()] = text->value();
    }
  }
  return content;
}

}  // namespace modelport
