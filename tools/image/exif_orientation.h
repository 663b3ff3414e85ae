#ifndef MODELPORT_TOOLS_IMAGE_EXIF_ORIENTATION_H_
#define MODELPORT_TOOLS_IMAGE_EXIF_ORIENTATION_H_

#include "absl/strings/string_view.h"

namespace modelport {

// The orientation, 1..8, that EXIF data states; 1 if they state none. `exif` begins with "Exif\0\0".
int ExifOrientation(absl::string_view exif);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_IMAGE_EXIF_ORIENTATION_H_
