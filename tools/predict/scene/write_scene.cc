#include "tools/predict/scene/write_scene.h"

#include <filesystem>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/io/output_file.h"
#include "common/io/output_folder.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "tools/predict/scene/cameras.h"
#include "tools/predict/scene/point_cloud.h"

namespace modelport {
namespace {

absl::Status WriteCameras(absl::Span<const View> views, const std::string& path) {
  if (absl::EndsWithIgnoreCase(path, ".json")) return OutputFile::WriteWhole(path, CamerasJson(views));
  ASSIGN_OR_RETURN(OutputFolder folder, OutputFolder::Create(path));
  for (const auto& [name, text] : CamerasColmap(views)) {
    RETURN_IF_ERROR(OutputFile::WriteWhole(absl::StrCat(folder.partial_path(), "/", name), text));
  }
  return folder.Commit();
}

absl::StatusOr<SceneCounts> WritePoints(absl::Span<const View> views, const SceneOutputs& outputs) {
  const PointCloud cloud = MakePointCloud(views, outputs.percentile);
  absl::StatusOr<std::string> bytes = EncodePly(cloud);
  if (absl::EndsWithIgnoreCase(outputs.points, ".glb")) bytes = EncodeGlb(cloud);
  if (!bytes.ok()) return Annotate(bytes.status(), outputs.points);
  RETURN_IF_ERROR(OutputFile::WriteWhole(outputs.points, *bytes));
  return SceneCounts{static_cast<int64_t>(cloud.points.size()), cloud.left_out};
}

}  // namespace

absl::Status CheckSceneOutputs(const SceneOutputs& outputs) {
  if (!outputs.points.empty() && !absl::EndsWithIgnoreCase(outputs.points, ".ply") &&
      !absl::EndsWithIgnoreCase(outputs.points, ".glb")) {
    return absl::InvalidArgumentError(absl::StrCat(outputs.points, ": wants a name that ends with .ply or .glb"));
  }
  const std::string extension = std::filesystem::path(outputs.cameras).extension().string();
  if (extension.empty() || absl::EndsWithIgnoreCase(outputs.cameras, ".json")) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(outputs.cameras, ": wants a name that ends with .json, or a new folder for COLMAP"));
}

absl::StatusOr<SceneCounts> WriteScene(absl::Span<const View> views, const SceneOutputs& outputs) {
  RETURN_IF_ERROR(CheckSceneOutputs(outputs));
  for (const View& view : views) {
    if (view.prediction.extrinsics.defined() && view.prediction.intrinsics.defined()) continue;
    return absl::InvalidArgumentError(
        "the model gives no cameras, which --cameras and --points need; the any-view models of Depth Anything 3 and "
        "MoGe-2 do");
  }
  SceneCounts counts;
  if (!outputs.points.empty()) {
    ASSIGN_OR_RETURN(counts, WritePoints(views, outputs));
  }
  if (!outputs.cameras.empty()) RETURN_IF_ERROR(WriteCameras(views, outputs.cameras));
  return counts;
}

}  // namespace modelport
