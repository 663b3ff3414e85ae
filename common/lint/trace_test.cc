#include "common/lint/trace.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/lint/rule_case.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

// How often the trace comes by the operator `name`.
int64_t Visits(const torch::jit::Module& module, const std::string& name) {
  const Trace trace = TraceForward(module);
  return std::count_if(trace.steps.begin(), trace.steps.end(), [&](const Step& step) { return step.name() == name; });
}

// The dtypes of the model and of the code meet in a matmul.
bool Clashes(const torch::jit::Module& module) {
  const Trace trace = TraceForward(module);
  return std::any_of(trace.steps.begin(), trace.steps.end(), [](const Step& step) {
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

TEST(TraceForwardTest, FollowsWhatPassesThroughManyVariables) {
  EXPECT_TRUE(
      Clashes(MakeModule(Forward("  y, a, b, c, d, e, f, g = x, x, x, x, x, x, x, x\n"
                                 "  for i in range(9):\n"
                                 "    y = torch.matmul(a, x)\n"
                                 "    a, b, c, d, e, f, g = b, c, d, e, f, g, x.float()\n"
                                 "  return y\n"))));
}

TEST(TraceForwardTest, SeesInALoopWhatLaterRoundsPutIntoAList) {
  EXPECT_TRUE(
      Clashes(MakeModule(Forward("  y = x\n"
                                 "  parts = [x]\n"
                                 "  for i in range(2):\n"
                                 "    y = torch.matmul(parts[0], x)\n"
                                 "    parts.append(x.float())\n"
                                 "  return y\n"))));
}

}  // namespace
}  // namespace modelport
