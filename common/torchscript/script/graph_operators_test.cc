#include "common/torchscript/script/graph_operators.h"

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/frontend/parser.h>
#include <torch/csrc/jit/frontend/resolver.h>
#include <torch/csrc/jit/frontend/tree_views.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/ir/irparser.h>
#include <torch/csrc/jit/serialization/import.h>

#include <memory>
#include <sstream>
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
using torch::jit::SourceRange;

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

// The range of `part` in `text`, a file of that name whose first line has the number `line`.
SourceRange RangeOf(const std::string& text, const std::string& part, const std::string& file, size_t line) {
  const size_t start = text.find(part);
  return SourceRange(std::make_shared<torch::jit::Source>(text, file, line), start, start + part.size());
}

TEST(FindSourceLineTest, NamesFileLineAndText) {
  const SourceLine line = FindSourceLine(RangeOf("x = 1\n  y = relu(x)\n", "relu(x)", "a.yaml", 7));
  EXPECT_EQ(line.place, "a.yaml:8");
  EXPECT_EQ(line.text, "y = relu(x)");
}

TEST(FindSourceLineTest, AnUnknownSourceIsEmpty) {
  EXPECT_EQ(FindSourceLine(SourceRange()).place, "");
  EXPECT_EQ(FindSourceLine(SourceRange()).text, "");
}

TEST(FindSourceLineTest, ALongLineIsTruncated) {
  EXPECT_EQ(FindSourceLine(RangeOf(std::string(5000, 'x'), "x", "a.yaml", 1)).text, std::string(1000, 'x'));
}

TEST(FindSourceLineTest, OfAnArchiveTheAuthorsLineIsFound) {
  torch::jit::Module module("Net");
  torch::jit::Parser parser(
      std::make_shared<torch::jit::Source>("def forward(self, x):\n  return torch.relu(x)\n", "a.yaml", 7));
  const torch::jit::Def def(parser.parseFunction(/*is_method=*/true));
  const torch::jit::SimpleSelf self(module.type());
  module._ivalue()->compilation_unit()->define(*module.type()->name(), {}, {}, {def}, {torch::jit::nativeResolver()},
                                               &self);
  std::stringstream archive;
  module.save(archive);
  const torch::jit::Module loaded = torch::jit::load(archive);
  const auto graph = loaded.get_method("forward").graph();
  const SourceLine line = FindSourceLine((*graph->nodes().begin())->sourceRange());
  EXPECT_EQ(line.place, "a.yaml:8");
  EXPECT_EQ(line.text, "return torch.relu(x)");
}

}  // namespace
}  // namespace modelport
