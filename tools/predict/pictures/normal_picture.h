#ifndef MODELPORT_TOOLS_PREDICT_PICTURES_NORMAL_PICTURE_H_
#define MODELPORT_TOOLS_PREDICT_PICTURES_NORMAL_PICTURE_H_

#include <ATen/core/Tensor.h>

#include "tools/image/picture.h"

namespace modelport {

// Unit normals [3, H, W] (x right, y down, z forward; 0 where there is none) in the colours of normal maps: red points
// right, green up and blue to the camera, from -1 as 0 to 1 as 255. No normal is grey.
Picture DrawNormals(const at::Tensor& normals);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PREDICT_PICTURES_NORMAL_PICTURE_H_
