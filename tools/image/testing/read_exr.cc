#include "tools/image/testing/read_exr.h"

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfInputFile.h>
#include <OpenEXR/ImfStringAttribute.h>

namespace modelport {

ExrContent ReadExr(const std::string& path) {
  Imf::InputFile file(path.c_str());
  const Imath::Box2i window = file.header().dataWindow();
  ExrContent content;
  content.width = window.max.x + 1;
  content.height = window.max.y + 1;
  Imf::FrameBuffer buffer;
  const Imf::ChannelList& channels = file.header().channels();
  for (auto channel = channels.begin(); channel != channels.end(); ++channel) {
    std::vector<float>& values = content.channels[channel.name()];
    values.resize(content.width * content.height);
    buffer.insert(channel.name(), Imf::Slice(Imf::FLOAT, reinterpret_cast<char*>(values.data()), sizeof(float),
                                             sizeof(float) * content.width));
  }
  file.setFrameBuffer(buffer);
  file.readPixels(0, window.max.y);
  for (auto attribute = file.header().begin(); attribute != file.header().end(); ++attribute) {
    if (const auto* const text = dynamic_cast<const Imf::StringAttribute*>(&attribute.attribute())) {
      content.texts[attribute.name()] = text->value();
    }
  }
  return content;
}

}  // namespace modelport
