// Several views of a scene as a cloud of points with cameras.
#ifndef MODELPORT_TOOLS_PREDICT_SCENE_SCENE_H_
#define MODELPORT_TOOLS_PREDICT_SCENE_SCENE_H_

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tools/image/picture.h"
#include "tools/predict/run/prediction.h"

namespace modelport {

// Coloured points in the world of the cameras: x right, y down, z forward of the first one.
struct PointCloud {
  std::vector<std::array<float, 3>> points;
  std::vector<Rgb> colours;
  int64_t left_out = 0;  // Pixels of too little confidence, of sky, or without a finite, positive depth.
};

// The pixels of views as points. Of all pixels, those below the `percent`-th percentile of confidence are left out.
PointCloud MakePointCloud(absl::Span<const View> views, double percent);

// The cloud as a binary PLY file, in the coordinates of the cameras.
std::string EncodePly(const PointCloud& cloud);

// The cloud as a binary glTF file (.glb), whose y points up and z backward, as glTF wants.
//   FailedPrecondition   no point, or more than the format's 4 GiB
absl::StatusOr<std::string> EncodeGlb(const PointCloud& cloud);

// What is written about all views of a scene together. Empty paths are not written.
struct SceneOutputs {
  std::string cameras;     // A .json file, or a new folder for the text files of COLMAP.
  std::string points;      // A .ply or .glb file.
  double percentile = 40;  // As for MakePointCloud; upstream's own value.
};

struct SceneCounts {
  int64_t points = 0;
  int64_t left_out = 0;
};

// InvalidArgument if the names in `outputs` say no kind of file.
absl::Status CheckSceneOutputs(const SceneOutputs& outputs);

// Writes `outputs`, each of which appears whole or not at all.
//   InvalidArgument      the model gives no cameras, or as CheckSceneOutputs
//   FailedPrecondition   no point is left
//   others               as OutputFile and OutputFolder
absl::StatusOr<SceneCounts> WriteScene(absl::Span<const View> views, const SceneOutputs& outputs);

// The cameras of views, whose predictions have extrinsics and intrinsics, as JSON: for each view the file's name, its
// size, the extrinsics (3 x 4, world to camera; x right, y down, z forward) and the intrinsics (3 x 3, pixels).
std::string CamerasJson(absl::Span<const View> views);

// The same as the text files of COLMAP, by name: cameras.txt, images.txt and points3D.txt, which is without points.
std::vector<std::pair<std::string, std::string>> CamerasColmap(absl::Span<const View> views);

// The rotation `matrix` [3, 3] as a unit quaternion w, x, y, z with w >= 0.
std::vector<double> Quaternion(const at::Tensor& matrix);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PREDICT_SCENE_SCENE_H_
