#include "artifact/format/onnx/node_rules.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
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

// How many elements a node TopK gives; nothing if that depends on the input's size.
absl::optional<int64_t> SortedBy(const onnx_file::NodeProto& node, const Model& model) {
  const auto found = std::find(model.constants.begin(), model.constants.end(), node.input(1));
  if (found == model.constants.end()) return absl::nullopt;
  return model.tensors[found - model.constants.begin()].item<int64_t>();
}

// `graph` is that of `model`, or of a branch in it.
absl::Status CheckGraph(const Target& target, const Model& model, const onnx_file::GraphProto& graph) {
  const int64_t limit = target.onnx.sorts_fewer_than;
  for (const onnx_file::NodeProto& node : graph.node()) {
    for (const NodeRule& rule : target.onnx.nodes) {
      if (IsAllowed(rule, node)) continue;
      return absl::FailedPreconditionError(
          absl::StrCat(target.title, " does not take the node ", node.name(), ", ", node.op_type(), ", whose ",
                       rule.attribute, " has to be ", absl::StrJoin(rule.allowed, " or "),
                       "; with fixed sizes it may vanish: --sizes=B=1,H=HEIGHT,W=WIDTH"));
    }
    if (node.op_type() == "TopK" && limit > 0 && SortedBy(node, model).value_or(limit) >= limit) {
      return absl::FailedPreconditionError(absl::StrCat(target.title, " does not take the node ", node.name(),
                                                        ", which sorts more than ", limit - 1,
                                                        " elements\n  --target=onnx makes a file for other runtimes"));
    }
    for (const onnx_file::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_g()) RETURN_IF_ERROR(CheckGraph(target, model, attribute.g()));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckNodes(const Target& target, const Model& model) { return CheckGraph(target, model, model.graph); }

}  // namespace modelport::onnx
