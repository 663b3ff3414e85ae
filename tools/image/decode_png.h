#ifndef MODELPORT_TOOLS_IMAGE_DECODE_PNG_H_
#define MODELPORT_TOOLS_IMAGE_DECODE_PNG_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/image/decoded.h"

namespace modelport {

// Decodes a PNG file: to floats if it has 16 bits, else to bytes. Grey and palettes become RGB. Call it in a confined
// process.
//   DataLoss   damaged or truncated
//   others     as PixelMemory::Start
absl::StatusOr<Decoded> DecodePng(absl::string_view file, PixelMemory& memory);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_IMAGE_DECODE_PNG_H_
