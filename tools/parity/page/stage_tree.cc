#include "tools/parity/page/stage_tree.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "common/tensor/shape.h"
#include "common/text/dotted_path.h"
#include "common/text/template.h"
#include "tools/parity/page/curve.h"

namespace modelport {
namespace {

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

}  // namespace

std::string StageTreeHtml(const std::vector<ComparedTensor>& tensors, absl::string_view open) {
  Renderer renderer(tensors, open);
  renderer.Render(Build(tensors));
  return std::move(renderer).html();
}

}  // namespace modelport
