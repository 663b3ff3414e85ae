#ifndef MODELPORT_TOOLS_PREDICT_SCENE_POINT_CLOUD_H_
#define MODELPORT_TOOLS_PREDICT_SCENE_POINT_CLOUD_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

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

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PREDICT_SCENE_POINT_CLOUD_H_
