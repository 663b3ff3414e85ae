#ifndef MODELPORT_DOCS_PICTURES_WRITE_SCENES_H_
#define MODELPORT_DOCS_PICTURES_WRITE_SCENES_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace modelport {

// Random scenes of seeds that follow one another.
struct SceneRange {
  uint64_t first_seed = 0;
  int64_t count = 0;
  int width = 0;  // Of each picture, in pixels.
  int height = 0;
  double time = 0;  // As of Moved().
};

// Writes the scenes as a safetensors file, of which one scene at a time is in memory:
//   images   uint8 [count, height, width, 3]   sRGB
//   depth    float32 [count, height, width]    metres, as SceneDepth
// Errors are those of OutputFile.
absl::Status WriteScenes(const std::string& path, const SceneRange& range);

}  // namespace modelport

#endif  // MODELPORT_DOCS_PICTURES_WRITE_SCENES_H_
