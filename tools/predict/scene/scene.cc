#include "tools/predict/scene/scene.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/io/output_file.h"
#include "common/io/output_folder.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
#include "tools/image/transfer.h"

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

// At least so much is sky, as the model's published code takes it.
constexpr float kSky = 0.3f;

template <typename T>
void Append(const T& value, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

absl::Span<const float> Values(const at::Tensor& map) {
  return absl::MakeConstSpan(map.const_data_ptr<float>(), map.numel());
}

// The confidence that a pixel needs.
float LeastConfidence(absl::Span<const View> views, double percent) {
  std::vector<float> all;
  for (const View& view : views) {
    if (!view.prediction.confidence.defined()) return -std::numeric_limits<float>::infinity();
    const absl::Span<const float> values = Values(view.prediction.confidence);
    all.insert(all.end(), values.begin(), values.end());
  }
  if (all.empty() || percent <= 0) return -std::numeric_limits<float>::infinity();
  const auto index = std::llround(percent / 100 * static_cast<double>(all.size() - 1));
  std::nth_element(all.begin(), all.begin() + index, all.end());
  return all[index];
}

// A pinhole camera: p_camera = R p_world + t.
struct Camera {
  double rotation[3][3] = {};
  double translation[3] = {};
  double fx, fy, cx, cy;
};

Camera CameraOf(const Prediction& prediction) {
  const auto e = prediction.extrinsics.accessor<float, 2>();
  const auto k = prediction.intrinsics.accessor<float, 2>();
  Camera camera = {.fx = k[0][0], .fy = k[1][1], .cx = k[0][2], .cy = k[1][2]};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) camera.rotation[i][j] = e[i][j];
    camera.translation[i] = e[i][3];
  }
  return camera;
}

// The point at `depth` behind the middle of the pixel in column `x` and row `y`.
std::array<float, 3> Unproject(const Camera& camera, int64_t x, int64_t y, double depth) {
  const double seen[] = {(static_cast<double>(x) + 0.5 - camera.cx) / camera.fx * depth,
                         (static_cast<double>(y) + 0.5 - camera.cy) / camera.fy * depth, depth};
  std::array<float, 3> point = {};
  for (int i = 0; i < 3; ++i) {
    double sum = 0;
    for (int j = 0; j < 3; ++j) sum += camera.rotation[j][i] * (seen[j] - camera.translation[j]);
    point[i] = static_cast<float>(sum);
  }
  return point;
}

void AddView(const View& view, float least_confidence, PointCloud& cloud) {
  const Camera camera = CameraOf(view.prediction);
  const Picture picture(view.image);
  const absl::Span<const float> depths = Values(view.prediction.depth);
  const at::Tensor &confidence = view.prediction.confidence, &sky = view.prediction.sky;
  for (int64_t i = 0; i < static_cast<int64_t>(depths.size()); ++i) {
    const int64_t x = i % view.image.width, y = i / view.image.width;
    const bool seen = std::isfinite(depths[i]) && depths[i] > 0 &&
                      (!confidence.defined() || Values(confidence)[i] >= least_confidence) &&
                      (!sky.defined() || Values(sky)[i] < kSky);
    if (!seen) {
      ++cloud.left_out;
      continue;
    }
    cloud.points.push_back(Unproject(camera, x, y, depths[i]));
    cloud.colours.push_back(picture.Get(static_cast<int>(x), static_cast<int>(y)));
  }
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
  if (outputs.cameras.empty() && outputs.points.empty()) return SceneCounts();
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

PointCloud MakePointCloud(absl::Span<const View> views, double percent) {
  const float least_confidence = LeastConfidence(views, percent);
  PointCloud cloud;
  for (const View& view : views) AddView(view, least_confidence, cloud);
  return cloud;
}

std::string EncodePly(const PointCloud& cloud) {
  std::string bytes = absl::StrCat(
      "ply\nformat binary_little_endian 1.0\ncomment Modelport: x right, y down, z forward of the first camera\n",
      "element vertex ", cloud.points.size(),
      "\nproperty float x\nproperty float y\nproperty float z\n"
      "property uchar red\nproperty uchar green\nproperty uchar blue\nend_header\n");
  bytes.reserve(bytes.size() + cloud.points.size() * 15);
  for (size_t i = 0; i < cloud.points.size(); ++i) {
    Append(cloud.points[i], bytes);
    Append(cloud.colours[i], bytes);
  }
  return bytes;
}

absl::StatusOr<std::string> EncodeGlb(const PointCloud& cloud) {
  const size_t count = cloud.points.size();
  if (count == 0) return absl::FailedPreconditionError("no point is left; a smaller --conf leaves more");
  if (count > std::numeric_limits<uint32_t>::max() / 17) {
    return absl::FailedPreconditionError("more points than a .glb file can hold; write a .ply file");
  }
  std::string binary;
  std::array<float, 3> min, max;
  min.fill(std::numeric_limits<float>::infinity());
  max.fill(-std::numeric_limits<float>::infinity());
  for (const auto& [x, y, z] : cloud.points) {
    const std::array<float, 3> turned = {x, -y, -z};
    for (int i = 0; i < 3; ++i) {
      min[i] = std::min(min[i], turned[i]);
      max[i] = std::max(max[i], turned[i]);
    }
    Append(turned, binary);
  }
  const size_t positions = binary.size();
  // Colours stand four bytes apart, and glTF takes them as linear.
  for (const Rgb& colour : cloud.colours) {
    for (const uint8_t part : colour) {
      binary.push_back(static_cast<char>(std::lround(SrgbToLinear(part / 255.0) * 255)));
    }
    binary.push_back('\xff');
  }
  const nlohmann::ordered_json json = {
      {"asset", {{"version", "2.0"}, {"generator", "Modelport"}}},
      {"scene", 0},
      {"scenes", {{{"nodes", {0}}}}},
      {"nodes", {{{"mesh", 0}}}},
      {"meshes", {{{"primitives", {{{"mode", 0}, {"attributes", {{"POSITION", 0}, {"COLOR_0", 1}}}}}}}}},
      {"buffers", {{{"byteLength", binary.size()}}}},
      {"bufferViews",
       {{{"buffer", 0}, {"byteOffset", 0}, {"byteLength", positions}, {"target", 34962}},
        {{"buffer", 0}, {"byteOffset", positions}, {"byteLength", binary.size() - positions}, {"target", 34962}}}},
      {"accessors",
       {{{"bufferView", 0}, {"componentType", 5126}, {"count", count}, {"type", "VEC3"}, {"min", min}, {"max", max}},
        {{"bufferView", 1}, {"componentType", 5121}, {"normalized", true}, {"count", count}, {"type", "VEC4"}}}}};
  std::string text = json.dump();
  text.append((4 - text.size() % 4) % 4, ' ');
  std::string bytes = "glTF";
  Append(uint32_t{2}, bytes);
  Append(static_cast<uint32_t>(12 + 8 + text.size() + 8 + binary.size()), bytes);
  Append(static_cast<uint32_t>(text.size()), bytes);
  absl::StrAppend(&bytes, "JSON", text);
  Append(static_cast<uint32_t>(binary.size()), bytes);
  return absl::StrCat(bytes, absl::string_view("BIN\0", 4), binary);
}

}  // namespace modelport
