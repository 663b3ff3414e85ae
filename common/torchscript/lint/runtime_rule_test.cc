#include <torch/csrc/jit/api/module.h>

#include <vector>

#include "common/torchscript/lint/finding.h"
#include "common/torchscript/lint/rule_case.h"
#include "common/torchscript/runtime/runtime.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using torch::jit::Module;

TEST(RuntimeRuleTest, ReportsWhatTheRuntimeLacksIfOneIsNamed) {
  const Module module = MakeModule(Forward("  return torch.silu(x)\n"));
  EXPECT_THAT(LintSaved(module), IsEmpty());
  EXPECT_THAT(LintSaved(module, {.runtime = &Runtimes()[1]}), IsEmpty());
  const std::vector<Finding> findings = LintSaved(module, {.runtime = &Runtimes()[0]});
  ASSERT_EQ(findings.size(), 1);
  EXPECT_EQ(findings[0].rule, "runtime");
  EXPECT_EQ(findings[0].message, "aten::silu(Tensor): LibTorch 1.6 does not have it");
  EXPECT_EQ(findings[0].line.text, "return torch.silu(x)");
  EXPECT_THAT(findings[0].cure, HasSubstr("torch.sigmoid(x)"));
}

}  // namespace
}  // namespace modelport
