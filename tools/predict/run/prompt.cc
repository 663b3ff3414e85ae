#include "tools/predict/run/prompt.h"

#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace modelport {
namespace {

// Finite numbers with commas between; none if the text is anything else.
std::vector<double> Numbers(absl::string_view text) {
  std::vector<double> numbers;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    double number = 0;
    if (!absl::SimpleAtod(part, &number) || !std::isfinite(number)) return {};
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

bool AbslParseFlag(absl::string_view text, PointsFlag* flag, std::string* error) {
  const std::vector<double> numbers = Numbers(text);
  const bool has_kind = numbers.size() == 3 && (numbers[2] == 0 || numbers[2] == 1);
  if (numbers.size() != 2 && !has_kind) {
    *error = "wants X,Y in pixels, such as 200,150, or X,Y,0 for what is not meant";
    return false;
  }
  const bool is_foreground = !has_kind || numbers[2] == 1;
  flag->points.push_back({numbers[0], numbers[1], is_foreground ? PointKind::kForeground : PointKind::kBackground});
  return true;
}

bool AbslParseFlag(absl::string_view text, BoxFlag* flag, std::string* error) {
  const std::vector<double> numbers = Numbers(text);
  if (numbers.size() != 4 || numbers[0] >= numbers[2] || numbers[1] >= numbers[3]) {
    *error = "wants LEFT,TOP,RIGHT,BOTTOM in pixels, LEFT less than RIGHT and TOP than BOTTOM, such as 120,80,400,300";
    return false;
  }
  flag->corners = {{numbers[0], numbers[1], PointKind::kBoxTopLeft},
                   {numbers[2], numbers[3], PointKind::kBoxBottomRight}};
  return true;
}

std::string AbslUnparseFlag(const PointsFlag& flag) {
  return absl::StrJoin(flag.points, " ", [](std::string* out, const PromptPoint& point) {
    absl::StrAppend(out, point.x, ",", point.y, point.kind == PointKind::kBackground ? ",0" : "");
  });
}

std::string AbslUnparseFlag(const BoxFlag& flag) {
  return absl::StrJoin(flag.corners, ",", [](std::string* out, const PromptPoint& corner) {
    absl::StrAppend(out, corner.x, ",", corner.y);
  });
}

absl::Status CheckInside(const Prompt& prompt, int width, int height) {
  for (const PromptPoint& point : prompt) {
    if (point.x >= 0 && point.x <= width && point.y >= 0 && point.y <= height) continue;
    const bool is_corner = point.kind == PointKind::kBoxTopLeft || point.kind == PointKind::kBoxBottomRight;
    return absl::InvalidArgumentError(absl::StrCat("the ", is_corner ? "corner of the box" : "point", " ", point.x, ",",
                                                   point.y, " is outside of the image, which has ", width, " x ",
                                                   height, " pixels"));
  }
  return absl::OkStatus();
}

}  // namespace modelport
