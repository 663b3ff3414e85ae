#include "tools/predict/scene/write_scene.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/io/output_file.h"
#include "common/io/output_folder.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
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

std::vector<std::vector<float>> Rows(const at::Tensor& matrix) {
  const auto values = matrix.accessor<float, 2>();
  std::vector<std::vector<float>> rows(matrix.size(0));
  for (int64_t i = 0; i < matrix.size(0); ++i) {
    for (int64_t j = 0; j < matrix.size(1); ++j) rows[i].push_back(values[i][j]);
  }
  return rows;
}

std::string FileName(const View& view) { return std::filesystem::path(view.path).filename().string(); }

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

std::string CamerasJson(absl::Span<const View> views) {
  nlohmann::ordered_json cameras = nlohmann::ordered_json::array();
  for (const View& view : views) {
    cameras.push_back({{"image", FileName(view)},
                       {"width", view.image.width},
                       {"height", view.image.height},
                       {"extrinsics", Rows(view.prediction.extrinsics)},
                       {"intrinsics", Rows(view.prediction.intrinsics)}});
  }
  // A file's name may be no UTF-8, which JSON cannot hold.
  return nlohmann::ordered_json{{"cameras", cameras}}.dump(1, ' ', false,
                                                           nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

std::vector<double> Quaternion(const at::Tensor& matrix) {
  const auto r = matrix.accessor<float, 2>();
  // The largest component first, which is computed without cancellation; the others follow from it.
  const double squares[] = {1.0 + r[0][0] + r[1][1] + r[2][2], 1.0 + r[0][0] - r[1][1] - r[2][2],
                            1.0 - r[0][0] + r[1][1] - r[2][2], 1.0 - r[0][0] - r[1][1] + r[2][2]};
  const int64_t largest = std::max_element(squares, squares + 4) - squares;
  const double twice = std::sqrt(squares[largest]);
  const double differences[] = {r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]};
  std::vector<double> q(4);
  q[largest] = twice / 2;
  if (largest == 0) {
    for (int i = 0; i < 3; ++i) q[i + 1] = differences[i] / (2 * twice);
  } else {
    q[0] = differences[largest - 1] / (2 * twice);
    for (int64_t i = 1; i < 4; ++i) {
      if (i != largest) q[i] = (r[i - 1][largest - 1] + r[largest - 1][i - 1]) / (2 * twice);
    }
  }
  const double sign = q[0] < 0 ? -1 : 1, norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (double& part : q) part *= sign / norm;
  return q;
}

std::vector<std::pair<std::string, std::string>> CamerasColmap(absl::Span<const View> views) {
  std::string cameras = "# CAMERA_ID MODEL WIDTH HEIGHT fx fy cx cy\n";
  std::string images = "# IMAGE_ID QW QX QY QZ TX TY TZ CAMERA_ID NAME, then a line of points, which is empty\n";
  for (size_t i = 0; i < views.size(); ++i) {
    const View& view = views[i];
    const auto k = view.prediction.intrinsics.accessor<float, 2>();
    const auto e = view.prediction.extrinsics.accessor<float, 2>();
    absl::StrAppendFormat(&cameras, "%d PINHOLE %d %d %.9g %.9g %.9g %.9g\n", i + 1, view.image.width,
                          view.image.height, k[0][0], k[1][1], k[0][2], k[1][2]);
    const std::vector<double> q = Quaternion(view.prediction.extrinsics.slice(1, 0, 3));
    absl::StrAppendFormat(&images, "%d %.9g %.9g %.9g %.9g %.9g %.9g %.9g %d %s\n\n", i + 1, q[0], q[1], q[2], q[3],
                          e[0][3], e[1][3], e[2][3], i + 1, Printable(FileName(view)));
  }
  return {{"cameras.txt", cameras}, {"images.txt", images}, {"points3D.txt", "# POINT3D_ID X Y Z R G B ERROR TRACK\n"}};
}

}  // namespace modelport
