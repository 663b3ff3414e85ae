#ifndef MODELPORT_TOOLS_PREDICT_SCENE_WRITE_SCENE_H_
#define MODELPORT_TOOLS_PREDICT_SCENE_WRITE_SCENE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tools/predict/run/prediction.h"

namespace modelport {

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

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PREDICT_SCENE_WRITE_SCENE_H_
