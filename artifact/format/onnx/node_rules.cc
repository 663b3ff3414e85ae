#include "artifact/format/onnx/node_rules.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status/status_macros.h"

namespace modelport::onnx {
namespace {

// Whether the host takes the node by this rule.
bool IsAllowed(const NodeRule& rule, const onnx_file::NodeProto& node) {
  if (rule.operation != node.op_type()) return true;
  for (const onnx_file::AttributeProto& attribute : node.attribute()) {
    if (attribute.name() == rule.attribute) {
      return std::count(rule.allowed.begin(), rule.allowed.end(), attribute.s()) > 0;
    }
  }
  return true;
}

}  // namespace

absl::Status CheckNodes(const Target& target, const onnx_file::GraphProto& graph) {
  for (const onnx_file::NodeProto& node : graph.node()) {
    for (const NodeRule& rule : target.onnx.nodes) {
      if (IsAllowed(rule, node)) continue;
      return absl::FailedPreconditionError(absl::StrCat(target.title, " does not take the node ", node.name(), ", ",
                                                        node.op_type(), ", whose ", rule.attribute, " has to be ",
                                                        absl::StrJoin(rule.allowed, " or "),
                                                        "; with fixed sizes it may vanish: --sizes=B=1,H=518,W=518"));
    }
    for (const onnx_file::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_g()) RETURN_IF_ERROR(CheckNodes(target, attribute.g()));
    }
  }
  return absl::OkStatus();
}

}  // namespace modelport::onnx
