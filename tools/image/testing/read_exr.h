#ifndef MODELPORT_TOOLS_IMAGE_TESTING_READ_EXR_H_
#define MODELPORT_TOOLS_IMAGE_TESTING_READ_EXR_H_

#include <map>
#include <string>
#include <vector>

namespace modelport {

// What a trusted EXR file holds.
struct ExrContent {
  int width = 0;
  int height = 0;
  int left = 0;  // Of the data window, which is the display window.
  int top = 0;
  float pixel_aspect = 1;
  std::map<std::string, std::vector<float>> channels;
  std::map<std::string, std::string> texts;  // Attributes that are strings.
};

// Reads the file `path`. A file that cannot be read ends the test with an exception.
ExrContent ReadExr(const std::string& path);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_IMAGE_TESTING_READ_EXR_H_
