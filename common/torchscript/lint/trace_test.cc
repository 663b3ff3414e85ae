#include "common/torchscript/lint/trace.h"

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/irparser.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/lint/rule_case.h"
#include "common/torchscript/lint/step.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

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
