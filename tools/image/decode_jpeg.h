#ifndef MODELPORT_TOOLS_IMAGE_DECODE_JPEG_H_
#define MODELPORT_TOOLS_IMAGE_DECODE_JPEG_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/image/decoded.h"

namespace modelport {

// Decodes a JPEG file to bytes. Grey and CMYK become RGB. Call it in a confined process.
//   DataLoss   damaged or truncated
//   others     as PixelMemory::Start
absl::StatusOr<Decoded> DecodeJpeg(absl::string_view file, PixelMemory& memory);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_IMAGE_DECODE_JPEG_H_
