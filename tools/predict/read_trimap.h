#ifndef MODELPORT_TOOLS_PREDICT_READ_TRIMAP_H_
#define MODELPORT_TOOLS_PREDICT_READ_TRIMAP_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace modelport {

// Reads a trimap, an image of grey: black is background, white foreground, what is between unknown. Returns [1, H, W],
// bytes or floats in 0..1, as the file holds them: those of EXR and floating TIFF files are not converted to sRGB. For
// a model that takes none, `path` is "" and the tensor undefined.
// Errors are those of ReadImage, and
//   InvalidArgument   red, green and blue differ
absl::StatusOr<at::Tensor> ReadTrimap(const std::string& path, int64_t max_pixels);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PREDICT_READ_TRIMAP_H_
