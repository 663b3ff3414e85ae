#ifndef MODELPORT_TOOLS_IMAGE_READ_IMAGE_H_
#define MODELPORT_TOOLS_IMAGE_READ_IMAGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/image/picture.h"

namespace modelport {

struct ReadImageResult {
  Image image = {};
  bool was_linear = false;              // The file has scene-linear floats, which were converted to sRGB.
  std::vector<std::string> notes = {};  // What was converted or ignored, for the user: "alpha ignored".
};

// Reads a JPEG, PNG, TIFF or EXR file, which its first bytes tell apart, and turns it upright. An image of more than 8
// bits becomes floats, every other one bytes. Grey becomes RGB; alpha and ICC profiles are ignored. EXR files and
// floating TIFF files are taken as scene-linear and converted to sRGB. The file may be hostile: a child process that
// can only compute (RunConfined) decodes it. No other thread may be working while this is called. Messages begin with
// the path.
//   NotFound, PermissionDenied, Unavailable   as the system reports
//   InvalidArgument      another kind of file, a folder
//   DataLoss             damaged or truncated
//   ResourceExhausted    more than `max_pixels` pixels, or it takes too much memory or time to decode
//   Unimplemented        a rare kind of TIFF or EXR, or this system cannot confine a process
absl::StatusOr<ReadImageResult> ReadImage(const std::string& path, int64_t max_pixels);

// Reads the alpha of an image, as it is, into red, green and blue alike. Everything else is as for ReadImage.
//   FailedPrecondition   the image has none
absl::StatusOr<ReadImageResult> ReadAlpha(const std::string& path, int64_t max_pixels);

// A depth of each pixel in metres, upright: rows from the top, pixels from the left.
struct ReadDepthResult {
  int width = 0;
  int height = 0;
  std::vector<float> metres = {};
  std::vector<std::string> notes = {};  // For the user: "12 values are not finite and taken as 0".
};

// Reads depth from an EXR file, whose channel depth.Z, Z, Y or R has metres, or from a PNG file of 16 bits of grey,
// which has millimetres, as phones and scanners write it. Everything else is as for ReadImage.
//   InvalidArgument      another kind of file, a PNG of 8 bits or of colours
absl::StatusOr<ReadDepthResult> ReadDepth(const std::string& path, int64_t max_pixels);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_IMAGE_READ_IMAGE_H_
