#include "artifact/format/onnx/node_rules.h"

#include <ATen/ops/full.h>

#include <cstdint>
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

Model ModelOf(const std::string& operation, const std::string& mode) {
  Model model;
  onnx_file::GraphProto& graph = model.graph;
  onnx_file::NodeProto& node = *graph.add_node();
  node.set_name("head/up");
  node.set_op_type(operation);
  if (mode.empty()) return model;
  onnx_file::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name("mode");
  attribute.set_s(mode);
  return model;
}

TEST(NodeRulesTest, ANodeHasAValueThatTheHostTakesOrItsDefault) {
  const Target host = HostOfLinearResizes();
  EXPECT_OK(CheckNodes(host, ModelOf("Resize", "linear")));
  EXPECT_OK(CheckNodes(host, ModelOf("Resize", "")));
  EXPECT_OK(CheckNodes(host, ModelOf("Pad", "cubic")));
  EXPECT_THAT(
      CheckNodes(host, ModelOf("Resize", "cubic")),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               HasSubstr("a host does not take the node head/up, Resize, whose mode has to be nearest or linear")));
}

TEST(NodeRulesTest, NodesOfBranchesAreChecked) {
  Model model = ModelOf("If", "");
  onnx_file::AttributeProto& branch = *model.graph.mutable_node(0)->add_attribute();
  branch.set_name("then_branch");
  *branch.mutable_g() = ModelOf("Resize", "cubic").graph;
  EXPECT_THAT(CheckNodes(HostOfLinearResizes(), model),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("mode")));
}

TEST(NodeRulesTest, AHostMaySortSoMany) {
  const Target host = {.name = "host", .title = "a host", .onnx = {.sorts_fewer_than = 100}};
  Model model = ModelOf("TopK", "");
  onnx_file::NodeProto& node = *model.graph.mutable_node(0);
  node.add_input("x");
  node.add_input("count");
  const std::string wrong = "a host does not take the node head/up, which sorts more than 99 elements";
  EXPECT_THAT(CheckNodes(host, model), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(wrong)));
  model.constants = {"count"};
  for (const int64_t count : {99, 100}) {
    model.tensors = {at::full({1}, count, at::kLong)};
    EXPECT_EQ(CheckNodes(host, model).ok(), count < 100) << count;
  }
  EXPECT_OK(CheckNodes({.name = "host", .title = "a host"}, model));
}

}  // namespace
}  // namespace modelport::onnx
