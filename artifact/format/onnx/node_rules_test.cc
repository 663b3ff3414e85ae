#include "artifact/format/onnx/node_rules.h"

#include <string>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport::onnx {
namespace {

using testing::HasSubstr;

Target HostOfLinearResizes() {
  return {.name = "host", .title = "a host", .onnx = {.nodes = {{"Resize", "mode", {"nearest", "linear"}}}}};
}

onnx_file::GraphProto GraphOf(const std::string& operation, const std::string& mode) {
  onnx_file::GraphProto graph;
  onnx_file::NodeProto& node = *graph.add_node();
  node.set_name("head/up");
  node.set_op_type(operation);
  if (mode.empty()) return graph;
  onnx_file::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name("mode");
  attribute.set_s(mode);
  return graph;
}

TEST(NodeRulesTest, ANodeHasAValueThatTheHostTakesOrItsDefault) {
  const Target host = HostOfLinearResizes();
  EXPECT_OK(CheckNodes(host, GraphOf("Resize", "linear")));
  EXPECT_OK(CheckNodes(host, GraphOf("Resize", "")));
  EXPECT_OK(CheckNodes(host, GraphOf("Pad", "cubic")));
  EXPECT_THAT(
      CheckNodes(host, GraphOf("Resize", "cubic")),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               HasSubstr("a host does not take the node head/up, Resize, whose mode has to be nearest or linear")));
}

TEST(NodeRulesTest, NodesOfBranchesAreChecked) {
  onnx_file::GraphProto graph = GraphOf("If", "");
  onnx_file::AttributeProto& branch = *graph.mutable_node(0)->add_attribute();
  branch.set_name("then_branch");
  *branch.mutable_g() = GraphOf("Resize", "cubic");
  EXPECT_THAT(CheckNodes(HostOfLinearResizes(), graph),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("mode")));
}

}  // namespace
}  // namespace modelport::onnx
