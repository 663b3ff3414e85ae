#ifndef MODELPORT_TOOLS_IMAGE_ENCODE_EXR_H_
#define MODELPORT_TOOLS_IMAGE_ENCODE_EXR_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tools/image/encode_png.h"
#include "tools/image/picture.h"

namespace modelport {

// A channel of an EXR file: "depth.Z". Its values go row by row.
struct ExrChannel {
  std::string name;
  absl::Span<const float> values;
};

// The bytes of an EXR file of 32-bit floats, compressed without loss. `texts` become attributes of its header, and
// `plate` its windows and its pixel aspect ratio.
//   InvalidArgument   a channel's number of values is not that of the pixels
absl::StatusOr<std::string> EncodeExr(int width, int height, const std::vector<ExrChannel>& channels,
                                      const ImageTexts& texts, const Plate& plate = {});

}  // namespace modelport

#endif  // MODELPORT_TOOLS_IMAGE_ENCODE_EXR_H_
