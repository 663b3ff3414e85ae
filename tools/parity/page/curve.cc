#include "tools/parity/page/curve.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/text/template.h"

namespace modelport {
namespace {

// The plot, in units that the page stretches to its width.
constexpr double kWidth = 1000, kHeight = 100;
constexpr int kLowest = -9;  // The decade of the bottom line; what is smaller, also 0, is drawn there.

struct Point {
  size_t row;  // Among the tensors.
  const ComparedTensor* tensor;
  double decade;     // Of the difference.
  double tolerated;  // The decade of the tolerance.
};

double Decade(double value) { return value > 0 ? std::max<double>(std::log10(value), kLowest) : kLowest; }

std::vector<Point> Points(const std::vector<ComparedTensor>& tensors, int& highest) {
  std::vector<Point> points;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const ComparedTensor& tensor = tensors[i];
    if (!tensor.point.is_result && tensor.point.stage.side == Stage::Side::kInput) continue;
    const double scale = tensor.measures.scale;
    points.push_back(
        {i, &tensor, Decade(tensor.measures.relative()), Decade(scale > 0 ? tensor.tolerance / scale : 0)});
    if (std::isfinite(points.back().decade)) highest = std::max<int>(highest, std::ceil(points.back().decade));
  }
  // What cannot be compared, or is infinite, stands at the top.
  for (Point& point : points) {
    if (!point.tensor->obstacle.empty() || !std::isfinite(point.decade)) point.decade = highest;
    point.tolerated = std::min<double>(point.tolerated, highest);
  }
  return points;
}

}  // namespace

std::string RowId(size_t i) { return absl::StrCat("stage", i); }

std::string CurveHtml(const std::vector<ComparedTensor>& tensors) {
  int highest = 0;
  const std::vector<Point> points = Points(tensors, highest);
  const auto x = [&](size_t i) { return kWidth * (i + 0.5) / points.size(); };
  const auto y = [&](double decade) { return kHeight * (highest - decade) / (highest - kLowest); };
  std::string lines, labels, curve, bound, dots;
  for (int decade = kLowest; decade <= highest; ++decade) {
    absl::StrAppendFormat(&lines, "<path d=\"M0 %.2fH%g\"/>", y(decade), kWidth);
    if ((decade - kLowest) % 3 == 0) {
      absl::StrAppendFormat(&labels, "<span style=\"top:%.2f%%\">%s</span>", y(decade),
                            decade == 0 ? "1" : absl::StrCat("1e", decade));
    }
  }
  for (size_t i = 0; i < points.size(); ++i) {
    const Point& point = points[i];
    const char* const step = i == 0 ? "M" : "L";
    absl::StrAppendFormat(&curve, "%s%.2f %.2f", step, x(i), y(point.decade));
    absl::StrAppendFormat(&bound, "%s%.2f %.2f", step, x(i), y(point.tolerated));
    const ComparedTensor& tensor = *point.tensor;
    const std::string what =
        tensor.obstacle.empty()
            ? absl::StrFormat("%.3g of the largest element, %.3g allowed", tensor.measures.relative(),
                              tensor.measures.scale > 0 ? tensor.tolerance / tensor.measures.scale : 0)
            : tensor.obstacle;
    // A line of no length with round ends is a dot, whatever the page stretches.
    absl::StrAppendFormat(&dots,
                          "<a href=\"#%s\"><path class=\"%s\" d=\"M%.2f %.2fh0\"><title>%s: %s</title></path></a>\n",
                          RowId(point.row), tensor.passed() ? "passed" : "failed", x(i), y(point.decade),
                          EscapeHtml(tensor.name), EscapeHtml(what));
  }
  return absl::StrFormat(
      "<div class=\"plot\"><div class=\"scale\">%s</div>\n"
      "<svg viewBox=\"0 0 %g %g\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"Relative difference of each "
      "stage\">\n<g class=\"lines\">%s</g>\n<path class=\"bound\" d=\"%s\"/>\n<path class=\"curve\" "
      "d=\"%s\"/>\n%s</svg></div>\n",
      labels, kWidth, kHeight, lines, bound, curve, dots);
}

}  // namespace modelport
