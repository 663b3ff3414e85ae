#include "common/torchscript/lint/trace.h"

#include <ATen/core/List.h>
#include <ATen/ops/ones.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/irparser.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/status/status_matchers.h"
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

std::vector<Step> Steps(const torch::jit::Module& module) {
  const absl::StatusOr<Trace> trace = TraceForward(module);
  EXPECT_OK(trace);
  return trace.ok() ? trace->steps : std::vector<Step>();
}

// The number of steps in the trace that call the operator `name`.
int64_t Visits(const torch::jit::Module& module, const std::string& name) {
  const std::vector<Step> steps = Steps(module);
  return std::count_if(steps.begin(), steps.end(), [&](const Step& step) { return step.name() == name; });
}

// Whether a matmul combines the model's dtype with one that the code fixes.
bool Clashes(const torch::jit::Module& module) {
  const std::vector<Step> steps = Steps(module);
  return std::any_of(steps.begin(), steps.end(), [](const Step& step) {
    return step.name() == "aten::matmul" && FindClash(step, &Fact::dtype) != nullptr;
  });
}

constexpr int kDepth = 20;

TEST(TraceForwardTest, VisitsDeeplyNestedLoopsAFewTimes) {
  std::string body = "  y = x\n", indent = "  ";
  for (int i = 0; i < kDepth; ++i) {
    absl::StrAppend(&body, indent, "for i", i, " in range(2):\n", indent, "  v", i, " = x\n");
    absl::StrAppend(&indent, "  ");
  }
  absl::StrAppend(&body, indent, "y = torch.matmul(x, y).float()\n");
  for (int i = kDepth - 1; i >= 0; --i) {
    absl::StrAppend(&body, indent, "v", i, " = torch.relu(y)\n");
    indent.resize(indent.size() - 2);
  }
  const torch::jit::Module module = MakeModule(Forward(body + "  return y\n"));
  EXPECT_LE(Visits(module, "aten::matmul"), 2 * kDepth);
  EXPECT_TRUE(Clashes(module));
}

TEST(TraceForwardTest, VisitsLoopsInCalledFunctionsAFewTimes) {
  std::string code = "def f0(self, x):\n  return torch.matmul(x, x)\n";
  for (int i = 1; i <= kDepth; ++i) {
    absl::StrAppend(&code, "def f", i, "(self, x):\n  y = x\n  for i in range(2):\n    y = self.f", i - 1,
                    "(y).float()\n  return y\n");
  }
  const torch::jit::Module module =
      MakeModule(absl::StrCat(code, "def forward(self, x):\n  return self.f", kDepth, "(x)\n"));
  EXPECT_GT(Visits(module, "aten::matmul"), 0);
  EXPECT_LE(Visits(module, "aten::matmul"), 3 * kDepth);
}

TEST(TraceForwardTest, FollowsValuesThroughManyVariables) {
  EXPECT_TRUE(
      Clashes(MakeModule(Forward("  y, a, b, c, d, e, f, g = x, x, x, x, x, x, x, x\n"
                                 "  for i in range(9):\n"
                                 "    y = torch.matmul(a, x)\n"
                                 "    a, b, c, d, e, f, g = b, c, d, e, f, g, x.float()\n"
                                 "  return y\n"))));
}

TEST(TraceForwardTest, ALoopSeesWhatLaterIterationsPutIntoAList) {
  EXPECT_TRUE(
      Clashes(MakeModule(Forward("  y = x\n"
                                 "  parts = [x]\n"
                                 "  for i in range(2):\n"
                                 "    y = torch.matmul(parts[0], x)\n"
                                 "    parts.append(x.float())\n"
                                 "  return y\n"))));
}

// Methods f0 to f`count`. f0 has the body `first`; each other has `body`, in which $ stands for the method before.
std::string Chain(int count, const std::string& parameters, const std::string& first, const std::string& body) {
  std::string code = absl::StrCat("def f0(self, ", parameters, "):\n", first);
  for (int i = 1; i <= count; ++i) {
    absl::StrAppend(&code, "def f", i, "(self, ", parameters, "):\n",
                    absl::StrReplaceAll(body, {{"$", absl::StrCat("self.f", i - 1)}}));
  }
  return code;
}

constexpr int kManyCalls = 60;  // Each call makes two, so f0 would be called 2^60 times.

TEST(TraceForwardTest, FollowsSharedCallsOnce) {
  const std::string code = Chain(kManyCalls, "x", "  return torch.relu(x)\n", "  return $($(x))\n");
  const torch::jit::Module module =
      MakeModule(absl::StrCat(code, "def forward(self, x):\n  return self.f", kManyCalls, "(x)\n"));
  // Once with the input of forward, and once with the result of relu.
  EXPECT_EQ(Visits(module, "aten::relu"), 2);
}

TEST(TraceForwardTest, FollowsSharedCallsWithCastsAFewTimes) {
  const std::string code =
      Chain(kManyCalls, "x", "  return torch.matmul(x, self.weight[0, 0])\n", "  return $($(x).float()).double()\n");
  const torch::jit::Module module =
      MakeModule(absl::StrCat(code, "def forward(self, x):\n  return self.f", kManyCalls, "(x)\n"));
  EXPECT_LE(Visits(module, "aten::matmul"), 2 * kManyCalls);
  EXPECT_TRUE(Clashes(module));
}

TEST(TraceForwardTest, FollowsTuplesOfTuples) {
  std::string body = "  t0 = (x, x.float())\n";
  for (int i = 1; i <= 12; ++i) absl::StrAppend(&body, "  t", i, " = (t", i - 1, ", t", i - 1, ")\n");
  // t12 has 2^12 parts, which is too many to keep. The fact that is mixed from them is still known.
  absl::StrAppend(&body, "  y = x\n  for i in range(2):\n    y = t12[0][0][0][0][0][0][0][0][0][0][0][0][1]\n",
                  "  return torch.matmul(x, y)\n");
  EXPECT_TRUE(Clashes(MakeModule(Forward(body))));
}

TEST(TraceForwardTest, ACallThatIsTooLargeToFollowIsAnError) {
  // Each of twenty arguments is true or false, which makes a million different calls.
  std::string parameters = "x", arguments;
  for (int i = 0; i < 20; ++i) absl::StrAppend(&parameters, ", a", i, ": bool");
  std::string code = absl::StrCat("def f0(self, ", parameters, "):\n  return torch.relu(x)\n");
  for (int i = 1; i <= 20; ++i) {
    const auto call = [&](const std::string& value) {
      std::string text = absl::StrCat("self.f", i - 1, "(x");
      for (int j = 0; j < 20; ++j) absl::StrAppend(&text, ", ", j == i - 1 ? value : absl::StrCat("a", j));
      return text + ")";
    };
    absl::StrAppend(&code, "def f", i, "(self, ", parameters, "):\n  return ", call("True"), " + ", call("False"),
                    "\n");
  }
  absl::StrAppend(&code, "def forward(self, x):\n  return self.f20(x");
  for (int i = 0; i < 20; ++i) absl::StrAppend(&code, ", True");
  EXPECT_THAT(TraceForward(MakeModule(code + ")\n")).status(),
              StatusIs(absl::StatusCode::kResourceExhausted, testing::HasSubstr("more than 1000000 steps")));
}

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
