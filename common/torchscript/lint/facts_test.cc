#include "common/torchscript/lint/facts.h"

#include <ATen/core/List.h>
#include <ATen/ops/ones.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/irparser.h>

#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/torchscript/lint/fact.h"
#include "common/torchscript/lint/finding.h"
#include "common/torchscript/lint/rule_case.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using torch::jit::Module;

Fact Model() {
  Fact fact;
  fact.dtype.model = fact.device.model = fact.is_input = true;
  return fact;
}

Fact Fixed() {
  Fact fact;
  fact.dtype.fixed = fact.device.fixed = std::make_shared<FixedOption>();
  return fact;
}

// The fact about the result of `call`, whose arguments are `formals`, such as "%a : Tensor".
Fact Result(const std::string& formals, const std::string& call, const std::vector<Fact>& inputs,
            std::vector<FixedOptionPtr>* fixed = nullptr) {
  torch::jit::Graph graph;
  torch::jit::parseIR("graph(" + formals + "):\n  %r : Tensor = " + call + "\n  return (%r)\n", &graph);
  std::vector<FixedOptionPtr> options;
  Step step = {*graph.nodes().begin(), "net", {}};
  for (const Fact& input : inputs) step.inputs.push_back(std::make_shared<Fact>(input));
  const std::vector<Fact> outputs = OutputFacts(step, options);
  if (fixed != nullptr) *fixed = options;
  return outputs[0];
}

TEST(OutputFactsTest, ViewsShareTheInputsMemoryAndResultsDoNot) {
  const Fact view = Result("%a : Tensor", "aten::t(%a)", {Model()});
  EXPECT_TRUE(view.is_input);
  EXPECT_TRUE(view.dtype.model);
  const Fact result = Result("%a : Tensor", "aten::relu(%a)", {Model()});
  EXPECT_FALSE(result.is_input);
  EXPECT_TRUE(result.dtype.model);
}

TEST(OutputFactsTest, AnElementwiseProductHasTheFixedDtypeAndAMatrixProductTheModels) {
  const std::string formals = "%a : Tensor, %b : Tensor";
  const Fact sum = Result(formals, "aten::mul(%a, %b)", {Model(), Fixed()});
  EXPECT_NE(sum.dtype.fixed, nullptr);
  EXPECT_FALSE(sum.dtype.model);
  const Fact product = Result(formals, "aten::mm(%a, %b)", {Model(), Fixed()});
  EXPECT_EQ(product.dtype.fixed, nullptr);
  EXPECT_TRUE(product.dtype.model);
}

TEST(OutputFactsTest, ComparisonsHaveNoDtypeThatMatters) {
  const Fact result = Result("%a : Tensor, %b : Tensor", "aten::eq(%a, %b)", {Model(), Fixed()});
  EXPECT_FALSE(result.dtype.model);
  EXPECT_EQ(result.dtype.fixed, nullptr);
  EXPECT_TRUE(result.device.model);
}

TEST(OutputFactsTest, CastsFixTheDtypeAndKeepTheDevice) {
  std::vector<FixedOptionPtr> fixed;
  const Fact cast = Result("%a : Tensor, %d : int, %n : bool, %c : bool, %m : NoneType", "aten::to(%a, %d, %n, %c, %m)",
                           {Model(), KnownFact(6), Fact(), Fact(), KnownFact({})}, &fixed);
  ASSERT_EQ(fixed.size(), 1);
  EXPECT_EQ(fixed[0], cast.dtype.fixed);
  EXPECT_EQ(fixed[0]->value, "float32");
  EXPECT_EQ(fixed[0]->module, "net");
  EXPECT_TRUE(cast.device.model);
}

TEST(OutputFactsTest, FactoriesFixTheDefaults) {
  std::vector<FixedOptionPtr> fixed;
  const Fact zeros = Result("%s : int[], %n : NoneType", "aten::zeros(%s, %n, %n, %n, %n)",
                            {Fact(), KnownFact({}), KnownFact({}), KnownFact({}), KnownFact({})}, &fixed);
  ASSERT_EQ(fixed.size(), 2);
  EXPECT_EQ(zeros.dtype.fixed->value, "float32");
  EXPECT_EQ(zeros.device.fixed->value, "cpu");
  EXPECT_EQ(zeros.dtype.fixed->kind, FixedOption::Kind::kDefault);
}

// A module that convolves with the first tensor of a list, which is an attribute.
Module MakeModuleWithList(bool holds_weight) {
  const at::Tensor weight = at::ones({3, 3, 1, 1});
  Module module("Net");
  module.register_parameter("weight", weight, /*is_buffer=*/false);
  module.register_attribute("flat", c10::ListType::ofTensors(),
                            c10::List<at::Tensor>({holds_weight ? weight : weight.clone()}));
  module.define(Forward("  return torch.conv2d(x, self.flat[0])\n"));
  return module;
}

TEST(AttributeFactTest, AListOfWeightsCountsAsWeights) {
  EXPECT_THAT(LintSaved(MakeModuleWithList(true)), IsEmpty());
  EXPECT_THAT(LintSaved(MakeModuleWithList(false)),
              ElementsAre(Field(&Finding::rule, "device"), Field(&Finding::rule, "half")));
}

TEST(HeldTensorsTest, FindsTensorsInLists) {
  const at::Tensor a = at::ones({1}), b = at::ones({2});
  EXPECT_EQ(HeldTensors(a).size(), 1);
  EXPECT_EQ(HeldTensors(c10::List<at::Tensor>({a, b, a, at::Tensor()})).size(), 2);
  EXPECT_EQ(HeldTensors(3).size(), 0);
}

TEST(HeldTensorsTest, VisitsSharedValuesOnce) {
  c10::IValue value = at::ones({1});
  for (int i = 0; i < 60; ++i) value = c10::ivalue::Tuple::create(value, value);
  EXPECT_EQ(HeldTensors(value).size(), 1);
}

FixedOptionPtr Option(const std::string& value) {
  return std::make_shared<FixedOption>(FixedOption{.kind = FixedOption::Kind::kWritten, .value = value});
}

Fact FixedTo(const std::string& value) {
  Fact fact;
  fact.dtype.fixed = Option(value);
  return fact;
}

Fact Tuple(std::vector<FactPtr> elements) {
  Fact fact;
  fact.elements = std::move(elements);
  return fact;
}

TEST(FactPoolTest, EqualFactsAreOneObject) {
  FactPool pool;
  EXPECT_EQ(pool.Add(Fact()), pool.unknown());
  EXPECT_EQ(pool.Add(FixedTo("float32")), pool.Add(FixedTo("float32")));
  EXPECT_NE(pool.Add(FixedTo("float32")), pool.Add(FixedTo("float64")));
  EXPECT_EQ(pool.fixed_options().size(), 2);
  EXPECT_EQ(pool.Add(KnownFact("bilinear")), pool.Add(KnownFact(std::string("bilinear"))));
  EXPECT_NE(pool.Add(KnownFact("bilinear")), pool.Add(KnownFact("bicubic")));
  EXPECT_NE(pool.Add(KnownFact(1)), pool.Add(KnownFact(true)));
  EXPECT_NE(pool.Add(KnownFact({})), pool.unknown());
  const FactPtr a = pool.Add(KnownFact(1)), b = pool.Add(KnownFact(2));
  EXPECT_EQ(pool.Add(Tuple({a, b})), pool.Add(Tuple({a, b})));
  EXPECT_NE(pool.Add(Tuple({a, b})), pool.Add(Tuple({b, a})));
}

TEST(FactPoolTest, JoinsWhatIsKnown) {
  FactPool pool;
  Fact model;
  model.dtype.model = model.is_input = true;
  const FactPtr a = pool.Add(model), b = pool.Add(FixedTo("float32"));
  const FactPtr either = pool.Join(a, b);
  EXPECT_TRUE(either->dtype.model);
  EXPECT_EQ(either->dtype.fixed, b->dtype.fixed);
  EXPECT_TRUE(either->is_input);
  EXPECT_EQ(pool.Join(either, b), either);
  EXPECT_EQ(pool.Join(a, a), a);
  const FactPtr tuple = pool.Join(pool.Add(Tuple({a, b})), pool.Add(Tuple({b, b})));
  EXPECT_EQ(tuple, pool.Add(Tuple({either, b})));
  EXPECT_TRUE(pool.Join(tuple, pool.Add(Tuple({a})))->elements.empty());
}

TEST(FactPoolTest, AJoinKeepsAValueThatBothHave) {
  FactPool pool;
  const FactPtr one = pool.Add(KnownFact(1));
  Fact input = KnownFact(1);
  input.is_input = true;
  EXPECT_TRUE(pool.Join(one, pool.Add(input))->value.has_value());
  EXPECT_FALSE(pool.Join(one, pool.Add(KnownFact(2)))->value.has_value());
}

TEST(FactPoolTest, KeepsTheElementsOfATupleOfModestSize) {
  FactPool pool;
  FactPtr tuple = pool.Add(KnownFact(1));
  for (int i = 0; i < 8; ++i) tuple = pool.Add(Tuple({tuple, tuple}));
  EXPECT_EQ(tuple->elements.size(), 2);
  EXPECT_TRUE(pool.Add(Tuple({tuple, tuple}))->elements.empty());
  EXPECT_TRUE(pool.Add(Tuple(std::vector<FactPtr>(1000, pool.unknown())))->elements.empty());
}

}  // namespace
}  // namespace modelport
