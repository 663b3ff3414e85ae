#include "common/torchscript/lint/step.h"

#include <torch/csrc/jit/ir/irparser.h>

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace modelport {
namespace {

// A fact about a tensor with the model's dtype. FixedDtype() and EitherDtype() are facts about the other dtypes.
Fact ModelDtype() {
  Fact fact;
  fact.dtype.model = true;
  return fact;
}

Fact FixedDtype() {
  Fact fact;
  fact.dtype.fixed = std::make_shared<FixedOption>();
  return fact;
}

Fact EitherDtype() {
  Fact fact = FixedDtype();
  fact.dtype.model = true;
  return fact;
}

// The clash in the first node of `graph` if its inputs have the facts `inputs`.
FixedOptionPtr FirstClash(torch::jit::Graph& graph, const std::vector<Fact>& inputs) {
  Step step = {*graph.nodes().begin(), "", {}};
  for (const Fact& input : inputs) step.inputs.push_back(std::make_shared<Fact>(input));
  return FindClash(step, &Fact::dtype);
}

// The fixed dtype that clashes in `call`, an expression of the tensors %a and %b with the facts `inputs`.
FixedOptionPtr Clash(const std::string& call, const std::vector<Fact>& inputs) {
  torch::jit::Graph graph;
  torch::jit::parseIR("graph(%a : Tensor, %b : Tensor):\n  %c : Tensor = " + call + "\n  return (%c)\n", &graph);
  return FirstClash(graph, inputs);
}

TEST(FindClashTest, IsTheFixedOptionBesideATensorOfTheModel) {
  const Fact fixed = FixedDtype();
  EXPECT_EQ(Clash("aten::mm(%a, %b)", {ModelDtype(), fixed}), fixed.dtype.fixed);
  EXPECT_EQ(Clash("aten::mm(%a, %b)", {fixed, ModelDtype()}), fixed.dtype.fixed);
}

TEST(FindClashTest, IsNullForTensorsOfTheSameOrigin) {
  EXPECT_EQ(Clash("aten::mm(%a, %b)", {ModelDtype(), ModelDtype()}), nullptr);
  EXPECT_EQ(Clash("aten::mm(%a, %b)", {FixedDtype(), FixedDtype()}), nullptr);
  EXPECT_EQ(Clash("aten::mm(%a, %b)", {FixedDtype(), Fact()}), nullptr);
}

TEST(FindClashTest, TwoTensorsThatMayHaveEitherOriginDoNotClash) {
  EXPECT_EQ(Clash("aten::mm(%a, %b)", {EitherDtype(), EitherDtype()}), nullptr);
  EXPECT_NE(Clash("aten::mm(%a, %b)", {EitherDtype(), ModelDtype()}), nullptr);
}

TEST(FindClashTest, OneTensorDoesNotClashWithItselfButAListMay) {
  EXPECT_EQ(Clash("aten::relu(%a)", {EitherDtype()}), nullptr);
  torch::jit::Graph graph;
  torch::jit::parseIR("graph(%a : Tensor[], %d : int):\n  %c : Tensor = aten::cat(%a, %d)\n  return (%c)\n", &graph);
  EXPECT_NE(FirstClash(graph, {EitherDtype(), Fact()}), nullptr);
}

TEST(FindClashTest, ChecksOnlyTheGivenOrigin) {
  Fact fixed, model;
  fixed.device.fixed = std::make_shared<FixedOption>();
  model.device.model = true;
  EXPECT_EQ(Clash("aten::mm(%a, %b)", {model, fixed}), nullptr);
}

}  // namespace
}  // namespace modelport
