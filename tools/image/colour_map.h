#ifndef MODELPORT_TOOLS_IMAGE_COLOUR_MAP_H_
#define MODELPORT_TOOLS_IMAGE_COLOUR_MAP_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/image/picture.h"

namespace modelport {

// A colour for each number in 0..1.
using ColourMap = Rgb (*)(double value);

// The colour map "spectral" (matplotlib's Spectral_r: violet to red), "turbo" or "grey". InvalidArgument names them.
absl::StatusOr<ColourMap> FindColourMap(absl::string_view name);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_IMAGE_COLOUR_MAP_H_
