// Draws a point cloud that predict wrote, seen from beside its camera: draw_points CLOUD.ply FILE.png
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/io/output_file.h"
#include "common/status/status_macros.h"
#include "tools/image/encode_png.h"
#include "tools/image/picture.h"

namespace modelport {
namespace {

constexpr int kWidth = 420, kHeight = 280;

// As predict writes it, little-endian and without padding: x right, y down, z forward, and a colour.
struct Point {
  std::array<float, 3> place;
  Rgb colour;
};

absl::StatusOr<std::vector<Point>> ReadPly(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  constexpr char kEnd[] = "end_header\n";
  constexpr size_t kPoint = 3 * sizeof(float) + 3;
  size_t at = bytes.find(kEnd);
  if (at == bytes.npos) return absl::InvalidArgumentError(absl::StrCat(path, ": not a PLY file of predict"));
  std::vector<Point> points;
  for (at += std::strlen(kEnd); at + kPoint <= bytes.size(); at += kPoint) {
    Point& point = points.emplace_back();
    std::memcpy(point.place.data(), &bytes[at], 3 * sizeof(float));
    std::memcpy(point.colour.data(), &bytes[at + 3 * sizeof(float)], 3);
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

absl::Status Draw(const std::string& cloud, const std::string& out) {
  ASSIGN_OR_RETURN(const std::vector<Point> points, ReadPly(cloud));
  const Picture picture = DrawPoints(points);
  ASSIGN_OR_RETURN(const std::string png, EncodePng(kWidth, kHeight, absl::MakeConstSpan(picture.rgb()), {}));
  return OutputFile::WriteWhole(out, png);
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  const absl::Status status = argc == 3 ? modelport::Draw(argv[1], argv[2])
                                        : absl::InvalidArgumentError("usage: draw_points CLOUD.ply FILE.png");
  if (!status.ok()) std::cerr << status << "\n";
  return status.ok() ? 0 : 1;
}
