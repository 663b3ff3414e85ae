#ifndef MODELPORT_TOOLS_IMAGE_DECODE_EXR_H_
#define MODELPORT_TOOLS_IMAGE_DECODE_EXR_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/image/decoded.h"

namespace modelport {

// Decodes the display window of an EXR file, from its channels R, G and B, or Y, to floats, and converts them from
// scene-linear to sRGB. Call it in a confined process.
//   DataLoss        damaged or truncated
//   Unimplemented   an EXR file without these channels
//   others          as PixelMemory::Start
absl::StatusOr<Decoded> DecodeExr(absl::string_view file, PixelMemory& memory);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_IMAGE_DECODE_EXR_H_
