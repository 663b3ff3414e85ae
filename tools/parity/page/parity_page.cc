#include "tools/parity/page/parity_page.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/adaptive_max_pool2d.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "common/status/status_macros.h"
#include "common/tensor/shape.h"
#include "common/text/dotted_path.h"
#include "common/text/first_few.h"
#include "common/text/template.h"
#include "common/torchscript/parity/compare_reference.h"
#include "common/torchscript/parity/reference.h"
#include "common/torchscript/script/torch_status.h"
#include "tools/image/colour_map.h"
#include "tools/image/encode_png.h"
#include "tools/image/picture.h"
#include "tools/parity/page/templates.h"

namespace modelport {
namespace {

constexpr int64_t kLongest = 160;  // Pixels of a picture's longer side; a larger one is drawn smaller.

constexpr int kMost = 48;  // Figures.

// The height and width of the first argument that is an image; {0, 0} if there is none.
std::pair<int64_t, int64_t> InputSize(const Reference& reference) {
  for (const auto& [name, value] : reference.arguments) {
    if (!value.isTensor() || value.toTensor().dim() < 4) continue;
    return {value.toTensor().size(-2), value.toTensor().size(-1)};
  }
  return {0, 0};
}

// Whether the tensor's last two sides are the input's, times a factor and rounded.
bool IsPicture(const at::Tensor& tensor, std::pair<int64_t, int64_t> input) {
  if (!tensor.defined() || tensor.dim() < 3 || input.first == 0 || tensor.numel() == 0) return false;
  const double height = tensor.size(-2), width = tensor.size(-1);
  return std::min(height, width) >= 4 && std::abs(height - width * input.first / input.second) < 1;
}

// The first image, with its channels: [C, H, W] in float64.
at::Tensor FirstImage(at::Tensor tensor) {
  const int64_t most = tensor.dim() == 3 ? 2 : 3;
  while (tensor.dim() > most) tensor = tensor[0];
  tensor = tensor.to(at::kDouble).nan_to_num(0, 0, 0);
  return most == 2 ? tensor.unsqueeze(0) : tensor;
}

// Height and width with the longer side at most kLongest.
std::pair<int64_t, int64_t> DrawnSize(const at::Tensor& image) {
  const double factor = std::min(1.0, static_cast<double>(kLongest) / std::max(image.size(-2), image.size(-1)));
  return {std::max<int64_t>(1, std::lround(image.size(-2) * factor)),
          std::max<int64_t>(1, std::lround(image.size(-1) * factor))};
}

// `values` [H, W] in the colours of `map`, from `low` to `high`, as an <img>.
absl::StatusOr<std::string> Draw(const at::Tensor& values, double low, double high, ColourMap map,
                                 absl::string_view caption) {
  const at::Tensor unit = ((values - low) / std::max(high - low, 1e-300)).clamp(0, 1).contiguous();
  const int height = unit.size(0), width = unit.size(1);
  Picture picture(width, height, {0, 0, 0});
  const double* const pixels = unit.const_data_ptr<double>();
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) picture.Set(column, row, map(pixels[row * width + column]));
  }
  ASSIGN_OR_RETURN(const std::string png, EncodePng(width, height, absl::MakeConstSpan(picture.rgb()), {}));
  return absl::StrFormat(
      "<div><img width=\"%d\" height=\"%d\" alt=\"%s\" src=\"data:image/png;base64,%s\"><span>%s</span></div>\n", width,
      height, caption, absl::Base64Escape(png), caption);
}

absl::StatusOr<std::string> Figure(const ComparedTensor& tensor) {
  const at::Tensor expected = FirstImage(tensor.expected), actual = FirstImage(tensor.actual);
  const auto [height, width] = DrawnSize(expected);
  const auto shrunk = [size = std::vector<int64_t>{height, width}](const at::Tensor& image) {
    return at::adaptive_avg_pool2d(image.mean(0, /*keepdim=*/true).unsqueeze(0), size)[0][0];
  };
  // The largest difference of the pixels that become one, so that none is lost.
  const at::Tensor difference = std::get<0>(at::adaptive_max_pool2d(
      std::get<0>((expected - actual).abs().max(0, /*keepdim=*/true)).unsqueeze(0), {height, width}))[0][0];
  const at::Tensor theirs = shrunk(expected), ours = shrunk(actual);
  const double low = theirs.min().item<double>(), high = theirs.max().item<double>();
  const double largest = difference.max().item<double>();
  ASSIGN_OR_RETURN(const ColourMap colours, FindColourMap("spectral"));
  ASSIGN_OR_RETURN(const ColourMap greys, FindColourMap("grey"));
  ASSIGN_OR_RETURN(std::string html, Draw(theirs, low, high, colours, "reference"));
  ASSIGN_OR_RETURN(const std::string own, Draw(ours, low, high, colours, "model"));
  ASSIGN_OR_RETURN(const std::string apart, Draw(difference, 0, largest, greys, "difference"));
  const std::string channels = expected.size(0) > 1 ? absl::StrCat(", mean of ", expected.size(0), " channels") : "";
  return absl::StrFormat(
      "<figure><div class=\"trio\">%s%s%s</div><figcaption><code>%s</code> %s<br>%.3g to %.3g%s; white is a difference "
      "of "
      "%.3g</figcaption></figure>\n",
      html, own, apart, EscapeHtml(tensor.name), tensor.passed() ? "" : "<strong class=\"warning\">fails</strong>", low,
      high, channels, largest);
}

// For each result whose last two sides have the proportions of the input's: a figure with the reference's picture, the
// model's and their difference, as PNG in the page itself. Of several images the first is drawn, of several channels
// their mean, and the largest difference. "" if no stage is so.
//   Internal  a picture cannot be drawn
absl::StatusOr<std::string> PicturesHtml(const ReferenceComparison& comparison, const Reference& reference) {
  const c10::InferenceMode inference;
  const std::pair<int64_t, int64_t> input = InputSize(reference);
  std::vector<const ComparedTensor*> shown;
  for (const ComparedTensor& tensor : comparison.tensors) {
    const bool is_input = !tensor.point.is_result && tensor.point.stage.side == Stage::Side::kInput;
    const bool has_pair = tensor.expected.defined() && tensor.expected.sizes() == tensor.actual.sizes();
    if (!is_input && has_pair && IsPicture(tensor.expected, input)) shown.push_back(&tensor);
  }
  // What comes out is worth the most.
  std::stable_sort(shown.begin(), shown.end(), [](const ComparedTensor* a, const ComparedTensor* b) {
    return a->point.is_result > b->point.is_result;
  });
  std::string html;
  for (size_t i = 0; i < std::min<size_t>(shown.size(), kMost); ++i) {
    absl::StatusOr<std::string> figure = absl::InternalError("");
    RETURN_IF_ERROR(CatchTorch([&] { figure = Figure(*shown[i]); }));
    RETURN_IF_ERROR(figure.status());
    absl::StrAppend(&html, *figure);
  }
  if (shown.size() > kMost) absl::StrAppend(&html, "<p>+", shown.size() - kMost, " more have no room here.</p>\n");
  return html;
}

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

// The id of the row of tensors[i] in the page.
std::string RowId(size_t i) { return absl::StrCat("stage", i); }

// SVG and its labels: for each result, in the order of execution, its largest difference as a part of its largest
// element, on a logarithmic scale, and what it may be. A point links to the row of its stage.
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

// A module, with what passes in and out of it.
struct Node {
  std::string name;
  std::string path;
  std::vector<size_t> rows = {};                     // Among the tensors.
  std::vector<std::unique_ptr<Node>> children = {};  // In the order of execution.
};

Node& Child(Node& parent, absl::string_view name) {
  for (const std::unique_ptr<Node>& child : parent.children) {
    if (child->name == name) return *child;
  }
  parent.children.push_back(
      std::make_unique<Node>(Node{.name = std::string(name), .path = JoinPath(parent.path, name)}));
  return *parent.children.back();
}

Node Build(const std::vector<ComparedTensor>& tensors) {
  Node root = {.name = "the model itself", .path = ""};
  for (size_t i = 0; i < tensors.size(); ++i) {
    Node* node = &root;
    for (const absl::string_view part : absl::StrSplit(tensors[i].point.stage.path, '.', absl::SkipEmpty())) {
      node = &Child(*node, part);
    }
    node->rows.push_back(i);
  }
  return root;
}

class Renderer {
 public:
  Renderer(const std::vector<ComparedTensor>& tensors, absl::string_view open) : tensors_(tensors), open_(open) {}

  void Render(const Node& node) {
    absl::StrAppend(&html_, "<details", IsWithin(open_, node.path) ? " open" : "", "><summary><code>",
                    EscapeHtml(node.name), "</code> ", Verdict(node), "</summary>\n");
    if (!node.rows.empty()) RenderRows(node);
    for (const std::unique_ptr<Node>& child : node.children) Render(*child);
    html_ += "</details>\n";
  }

  std::string html() && { return std::move(html_); }

 private:
  // How many stages at and below the node fail, of how many.
  std::pair<int, int> Count(const Node& node) const {
    std::pair<int, int> count = {0, static_cast<int>(node.rows.size())};
    for (const size_t row : node.rows) count.first += !tensors_[row].passed();
    for (const std::unique_ptr<Node>& child : node.children) {
      const auto [failed, all] = Count(*child);
      count.first += failed;
      count.second += all;
    }
    return count;
  }

  std::string Verdict(const Node& node) const {
    const auto [failed, all] = Count(node);
    if (failed == 0) return absl::StrCat("<span class=\"quiet\">", all, " pass</span>");
    return absl::StrCat("<strong class=\"warning\">", failed, " of ", all, " fail</strong>");
  }

  void RenderRows(const Node& node) {
    html_ +=
        "<div class=\"wide\"><table><thead><tr><th scope=\"col\">stage</th><th scope=\"col\">shape</th><th "
        "scope=\"col\">max diff</th><th scope=\"col\">relative</th><th scope=\"col\">cosine</th><th "
        "scope=\"col\">SNR</th><th scope=\"col\">tolerance</th></tr></thead><tbody>\n";
    for (const size_t row : node.rows) {
      const ComparedTensor& tensor = tensors_[row];
      absl::StrAppend(&html_, "<tr id=\"", RowId(row), "\"", tensor.passed() ? "" : " class=\"failed\"", "><td><code>",
                      EscapeHtml(tensor.name), "</code></td><td class=\"whole\">", ShapeString(tensor.shape), "</td>");
      const Measures& m = tensor.measures;
      if (!tensor.obstacle.empty()) {
        absl::StrAppend(&html_, "<td colspan=\"5\">", EscapeHtml(tensor.obstacle), "</td></tr>\n");
        continue;
      }
      absl::StrAppendFormat(&html_, "<td>%.3g</td><td>%.3g</td><td>%.6f</td><td>%s</td><td>%.3g</td></tr>\n", m.max_abs,
                            m.relative(), m.cosine, std::isinf(m.snr) ? "equal" : absl::StrFormat("%.0f dB", m.snr),
                            tensor.tolerance);
    }
    html_ += "</tbody></table></div>\n";
  }

  const std::vector<ComparedTensor>& tensors_;
  const absl::string_view open_;
  std::string html_;
};

// The modules as a tree to fold, each with the rows of its stages. The modules around `open`, a path, and itself are
// unfolded.
std::string StageTreeHtml(const std::vector<ComparedTensor>& tensors, absl::string_view open) {
  Renderer renderer(tensors, open);
  renderer.Render(Build(tensors));
  return std::move(renderer).html();
}

std::string ModuleName(const std::string& path) { return path.empty() ? "the model itself" : path; }

// What is wrong with a module, in brief.
std::string Evidence(const Suspect& suspect) {
  constexpr size_t kShown = 3;
  const std::vector<std::string>& all = suspect.evidence;
  const size_t shown = std::min(all.size(), kShown);
  return absl::StrCat(absl::StrJoin(all.begin(), all.begin() + shown, "; "),
                      all.size() > shown ? absl::StrCat("; +", all.size() - shown, " more") : "");
}

TemplateData Facts(const ParityReport& report) {
  TemplateData page;
  const std::vector<ComparedTensor>& tensors = report.comparison.tensors;
  const auto passed =
      std::count_if(tensors.begin(), tensors.end(), [](const ComparedTensor& tensor) { return tensor.passed(); });
  page.values = {{"model", report.model},
                 {"reference", report.reference},
                 {"passed", absl::StrCat(passed)},
                 {"count", absl::StrCat(tensors.size())},
                 {"equal_settings", absl::StrCat(report.settings.equal)},
                 {"different_settings", absl::StrCat(report.settings.differences.size())},
                 {"not_computed", FirstFew(report.comparison.not_computed)}};
  page.lists["is_equal"] = KeepIf(report.passed());
  page.lists["differs"] = KeepIf(!report.passed());
  page.lists["some_not_computed"] = KeepIf(!report.comparison.not_computed.empty());
  page.lists["some_settings"] = KeepIf(!report.settings.differences.empty());
  for (const SettingDifference& setting : report.settings.differences) {
    page.lists["settings"].push_back({{"path", ModuleName(setting.path)},
                                      {"name", setting.name},
                                      {"value", setting.actual},
                                      {"expected", setting.expected}});
  }
  page.lists["diverges"] = KeepIf(report.divergence.has_value());
  page.lists["has_deepest"] = KeepIf(report.divergence && report.divergence->module);
  page.values["divergence"] = report.divergence ? report.divergence->stage : "";
  page.values["deepest"] = report.divergence && report.divergence->module ? ModuleName(*report.divergence->module) : "";
  page.lists["some_suspects"] = KeepIf(report.suspects && !report.suspects->empty());
  for (const Suspect& suspect : report.suspects.value_or(std::vector<Suspect>())) {
    page.lists["suspects"].push_back({{"suspect", ModuleName(suspect.path)}, {"evidence", Evidence(suspect)}});
  }
  return page;
}

// The module that the page shows first.
std::string FirstModule(const ParityReport& report) {
  if (!report.divergence) return "";
  if (report.divergence->module) return *report.divergence->module;
  for (const ComparedTensor& tensor : report.comparison.tensors) {
    if (!tensor.passed()) return tensor.point.stage.path;
  }
  return "";
}

}  // namespace

absl::StatusOr<std::string> ParityPage(const ParityReport& report, const Reference& reference) {
  TemplateData page = Facts(report);
  page.lists.try_emplace("settings");
  page.lists.try_emplace("suspects");
  page.verbatim["curve"] = CurveHtml(report.comparison.tensors);
  page.verbatim["tree"] = StageTreeHtml(report.comparison.tensors, FirstModule(report));
  ASSIGN_OR_RETURN(page.verbatim["pictures"], PicturesHtml(report.comparison, reference));
  page.lists["some_pictures"] = KeepIf(!page.verbatim["pictures"].empty());
  ASSIGN_OR_RETURN(const absl::string_view text, FindEmbedded(ParityTemplates(), "page.html"));
  return FillTemplate(text, page, EscapeHtml);
}

}  // namespace modelport
