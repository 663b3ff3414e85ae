#include "common/torchscript/script/graph_operators.h"

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/ir/irparser.h>

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;
using testing::StartsWith;
using testing::WhenSorted;
using torch::jit::Graph;
using torch::jit::Node;

TEST(OperatorNamesTest, HasThePublicOperatorsOfAtenOnce) {
  EXPECT_THAT(OperatorNames(), Contains("relu").Times(1));
  EXPECT_THAT(OperatorNames(), Contains("relu_"));
  EXPECT_THAT(OperatorNames(), Not(Contains(StartsWith("_"))));
  EXPECT_THAT(OperatorNames(), Not(Contains(StartsWith("aten::"))));
}

TEST(OperatorNamesTest, AreSorted) { EXPECT_THAT(OperatorNames(), WhenSorted(OperatorNames())); }

constexpr char kGraph[] = R"IR(
graph(%x : Tensor, %n : int, %c : bool):
  %y : Tensor = aten::relu(%x)
  %z : Tensor = prim::Loop(%n, %c, %y)
    block0(%i : int, %a : Tensor):
      %b : Tensor = prim::If(%c)
        block0():
          %d : Tensor = aten::neg(%a)
          -> (%d)
        block1():
          %e : Tensor = aten::abs(%a)
          -> (%e)
      -> (%c, %b)
  %w : Tensor = aten::exp(%z)
  return (%w)
)IR";

TEST(ForEachNodeTest, VisitsInnerBlocksInTheOrderOfTheCode) {
  Graph graph;
  torch::jit::parseIR(kGraph, &graph);
  std::vector<std::string> kinds;
  ForEachNode(*graph.block(), [&](Node& node) { kinds.push_back(node.kind().toUnqualString()); });
  EXPECT_THAT(kinds, ElementsAre("relu", "Loop", "If", "neg", "abs", "exp"));
}

TEST(ForEachNodeTest, VisitsConstantBlocks) {
  Graph graph;
  torch::jit::parseIR(kGraph, &graph);
  const torch::jit::Block& block = *graph.block();
  int count = 0;
  ForEachNode(block, [&](const Node&) { ++count; });
  EXPECT_EQ(count, 6);
}

}  // namespace

}  // namespace modelport
