// Draws the pixels of a drawn scene as points in space, at the depths that predict wrote as a 16-bit PNG, in metres
// times 256, seen from beside the camera: draw_points DEPTH.png SCENE.png FILE.png
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/io/output_file.h"
#include "common/status/status_macros.h"
#include "docs/pictures/trace.h"
#include "tools/image/encode_png.h"
#include "tools/image/picture.h"
#include "tools/image/read_image.h"

namespace modelport {
namespace {

constexpr int kWidth = 420, kHeight = 280;

struct Point {
  std::array<float, 3> place;  // x right, y down, z forward, in metres.
  Rgb colour;
};

absl::StatusOr<std::vector<Point>> ReadPoints(const std::string& depth_path, const std::string& scene_path) {
  constexpr int64_t kMaxPixels = 10'000'000;
  ASSIGN_OR_RETURN(const ReadImageResult depth, ReadImage(depth_path, kMaxPixels));
  ASSIGN_OR_RETURN(const ReadImageResult scene, ReadImage(scene_path, kMaxPixels));
  const auto* const values = std::get_if<std::vector<float>>(&depth.image.pixels);
  const Picture picture(scene.image);
  const int width = picture.width(), height = picture.height();
  if (values == nullptr || depth.image.width != width || depth.image.height != height) {
    return absl::InvalidArgumentError(absl::StrCat(depth_path, ": wants 16-bit numbers and the size of ", scene_path));
  }
  std::vector<Point> points;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const float z = (*values)[(y * width + x) * 3] * 65535 / 256;
      if (z > 0.95 * kDepthLimit) continue;  // The sky.
      const float scale = static_cast<float>(kPictureWidth) / static_cast<float>(width) * z;
      points.push_back({{(x + 0.5F - width / 2.0F) * scale, (y + 0.5F - height / 2.0F) * scale, z}, picture.Get(x, y)});
    }
  }
  return points;
}

float Median(std::vector<float> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

Picture DrawPoints(const std::vector<Point>& points) {
  std::vector<float> depths;
  for (const Point& point : points) depths.push_back(point.place[2]);
  const float centre = points.empty() ? 1 : Median(depths);
  const float turn = 0.4F;  // Radians around the centre, to the right.
  Picture picture(kWidth, kHeight, {24, 26, 30});
  std::vector<float> nearest(kWidth * kHeight, std::numeric_limits<float>::infinity());
  for (const Point& point : points) {
    const float x = point.place[0], z = point.place[2] - centre;
    const float seen_x = std::cos(turn) * x + std::sin(turn) * z;
    const float seen_z = std::cos(turn) * z - std::sin(turn) * x + 1.3F * centre;
    if (seen_z <= 0) continue;
    const int column = static_cast<int>(kWidth * (0.5F + seen_x / seen_z));
    const int row = static_cast<int>(kHeight * 0.5F + kWidth * point.place[1] / seen_z);
    for (int i = 0; i < 4; ++i) {  // Two pixels wide and high.
      const int across = column + i % 2, down = row + i / 2;
      if (across < 0 || down < 0 || across >= kWidth || down >= kHeight) continue;
      if (seen_z >= nearest[down * kWidth + across]) continue;
      nearest[down * kWidth + across] = seen_z;
      picture.Set(across, down, point.colour);
    }
  }
  return picture;
}

absl::Status Draw(const std::string& depth, const std::string& scene, const std::string& out) {
  ASSIGN_OR_RETURN(const std::vector<Point> points, ReadPoints(depth, scene));
  const Picture picture = DrawPoints(points);
  ASSIGN_OR_RETURN(const std::string png, EncodePng(kWidth, kHeight, absl::MakeConstSpan(picture.rgb()), {}));
  return OutputFile::WriteWhole(out, png);
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  const absl::Status status = argc == 4 ? modelport::Draw(argv[1], argv[2], argv[3])
                                        : absl::InvalidArgumentError("usage: draw_points DEPTH.png SCENE.png FILE.png");
  if (!status.ok()) std::cerr << status << "\n";
  return status.ok() ? 0 : 1;
}
