#include "tools/predict/scene/point_cloud.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tools/image/transfer.h"

namespace modelport {
namespace {

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
