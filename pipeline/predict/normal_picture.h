#ifndef MODELPORT_PIPELINE_PREDICT_NORMAL_PICTURE_H_
#define MODELPORT_PIPELINE_PREDICT_NORMAL_PICTURE_H_

#include <ATen/core/Tensor.h>

#include "common/image/picture.h"

namespace modelport {

// Unit normals [3, H, W] (x right, y down, z forward; 0 where there is none) in the colours of normal maps: red points
// right, green up and blue to the camera, from -1 as 0 to 1 as 255. No normal is grey.
Picture DrawNormals(const at::Tensor& normals);

}  // namespace modelport

#endif  // MODELPORT_PIPELINE_PREDICT_NORMAL_PICTURE_H_
