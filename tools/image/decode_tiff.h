#ifndef MODELPORT_TOOLS_IMAGE_DECODE_TIFF_H_
#define MODELPORT_TOOLS_IMAGE_DECODE_TIFF_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/image/decoded.h"

namespace modelport {

// Decodes the first page of a TIFF file: to floats if it has 16 bits or floats, which are taken as scene-linear, else
// to bytes. Call it in a confined process.
//   DataLoss        damaged or truncated
//   Unimplemented   a kind of TIFF that few programs write
//   others          as PixelMemory::Start
absl::StatusOr<Decoded> DecodeTiff(absl::string_view file, PixelMemory& memory);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_IMAGE_DECODE_TIFF_H_
