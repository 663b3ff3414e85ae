#include "docs/pictures/write_scenes.h"

#include <vector>

#include "absl/strings/string_view.h"
#include "common/checkpoint/safetensors_writer.h"
#include "common/io/output_file.h"
#include "common/status/status_macros.h"
#include "docs/pictures/scene.h"
#include "docs/pictures/trace.h"

namespace modelport {
namespace {

constexpr int kSamples = 2;  // Fewer than in a picture for people, because a trainer wants many.

template <typename T>
absl::string_view Bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// Scene number `i` of the range.
Scene SceneOf(const SceneRange& range, int64_t i) {
  const uint64_t seed = range.first_seed + i;
  return Moved(RandomScene(seed), seed, range.time);
}

}  // namespace

absl::Status WriteScenes(const std::string& path, const SceneRange& range) {
  const Shape pixels = {range.count, range.height, range.width};
  // Floats come before bytes.
  const std::string header = SafetensorsHeader(
      {{"depth", DType::kFloat32, pixels}, {"images", DType::kUInt8, {pixels[0], pixels[1], pixels[2], 3}}}, {});
  ASSIGN_OR_RETURN(OutputFile file, OutputFile::Create(path));
  RETURN_IF_ERROR(file.Write(header));
  for (int64_t i = 0; i < range.count; ++i) {
    RETURN_IF_ERROR(file.Write(Bytes(SceneDepth(SceneOf(range, i), range.width, range.height))));
  }
  for (int64_t i = 0; i < range.count; ++i) {
    const Picture picture = DrawScene(SceneOf(range, i), range.width, range.height, kSamples);
    RETURN_IF_ERROR(file.Write(Bytes(picture.rgb())));
  }
  return file.Commit();
}

}  // namespace modelport
