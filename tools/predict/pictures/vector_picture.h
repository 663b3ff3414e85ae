// Pictures of outputs with several numbers for each pixel: features and normals.
#ifndef MODELPORT_TOOLS_PREDICT_PICTURES_VECTOR_PICTURE_H_
#define MODELPORT_TOOLS_PREDICT_PICTURES_VECTOR_PICTURE_H_

#include <ATen/core/Tensor.h>

#include "absl/status/statusor.h"
#include "tools/image/picture.h"

namespace modelport {

// The three principal components of features [C, h, w], of the largest variance first, as [3, h, w]. The sign of each
// is such that the channel with the most weight in it counts positively, so that equal features give equal components.
// Components that the features do not have are 0.
//   FailedPrecondition   features that are not finite
absl::StatusOr<at::Tensor> PrincipalComponents(const at::Tensor& features);

// The components as red, green and blue, each from its smallest to its largest value, enlarged to `width` x `height`
// without interpolation: each patch of the model is a box.
absl::StatusOr<Picture> DrawFeatures(const at::Tensor& features, int width, int height);

// Unit normals [3, H, W] (x right, y down, z forward; 0 where there is none) in the colours of normal maps: red points
// right, green up and blue to the camera, from -1 as 0 to 1 as 255. No normal is grey.
Picture DrawNormals(const at::Tensor& normals);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PREDICT_PICTURES_VECTOR_PICTURE_H_
