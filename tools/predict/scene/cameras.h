#ifndef MODELPORT_TOOLS_PREDICT_SCENE_CAMERAS_H_
#define MODELPORT_TOOLS_PREDICT_SCENE_CAMERAS_H_

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "tools/predict/run/prediction.h"

namespace modelport {

// The cameras of views, whose predictions have extrinsics and intrinsics, as JSON: for each view the file's name, its
// size, the extrinsics (3 x 4, world to camera; x right, y down, z forward) and the intrinsics (3 x 3, pixels).
std::string CamerasJson(absl::Span<const View> views);

// The same as the text files of COLMAP, by name: cameras.txt, images.txt and points3D.txt, which is without points.
std::vector<std::pair<std::string, std::string>> CamerasColmap(absl::Span<const View> views);

// The rotation `matrix` [3, 3] as a unit quaternion w, x, y, z with w >= 0.
std::vector<double> Quaternion(const at::Tensor& matrix);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PREDICT_SCENE_CAMERAS_H_
