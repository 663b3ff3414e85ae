#include "common/torchscript/lint/lint.h"

#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/lint/finding.h"
#include "common/torchscript/lint/rule_case.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using torch::jit::Module;

TEST(LintTest, NamesModulesLineAndCure) {
  Module net("Net"), block("Block");
  block.define("def forward(self, x):\n  return x.cpu()\n");
  Module list("Blocks");
  list.register_module("0", block);
  list.register_module("1", block.clone());
  net.register_module("blocks", list);
  net.define(
      "def forward(self, x):\n"
      "  return getattr(self.blocks, \"1\").forward(getattr(self.blocks, \"0\").forward(x))\n");
  const std::vector<Finding> findings = LintSaved(net);
  ASSERT_EQ(findings.size(), 1);
  EXPECT_THAT(findings[0].modules, ElementsAre("blocks.0", "blocks.1"));
  EXPECT_THAT(findings[0].line.place, HasSubstr(":2"));
  EXPECT_EQ(findings[0].line.text, "return x.cpu()");
  EXPECT_THAT(findings[0].cure, HasSubstr("x.device"));
}

TEST(LintTest, IgnoresCodeThatForwardDoesNotReach) {
  EXPECT_THAT(LintSaved(MakeModule("def forward(self, x):\n  return x\ndef other(self, x):\n  return x.cpu()\n")),
              IsEmpty());
}

TEST(LintTest, WithoutHostRulesAnyForwardAndBoolAttributesAreFine) {
  Module module("Net");
  module.register_attribute("invert", c10::BoolType::get(), true);
  module.define("def forward(self, x, y):\n  return x, y\n");
  ASSERT_OK_AND_ASSIGN(const LintResult result, Lint(module, ArchiveFormat(), LintOptions()));
  EXPECT_THAT(result.findings, IsEmpty());
}

// A forward with a tuple of tuples, `depth` deep.
std::string NestedTuples(int depth) {
  std::string body = "  t0 = (x, x)\n";
  for (int i = 1; i < depth; ++i) absl::StrAppend(&body, "  t", i, " = (t", i - 1, ", t", i - 1, ")\n");
  return Forward(absl::StrCat(body, "  return t", depth - 1, "\n"));
}

TEST(CheckTypeSizesTest, AcceptsTypesThatNetworksReturn) {
  EXPECT_OK(CheckTypeSizes(MakeModule(Forward("  return x\n"))));
  EXPECT_OK(CheckTypeSizes(MakeModule(NestedTuples(8))));
}

TEST(CheckTypeSizesTest, RefusesTypesThatAreTooLarge) {
  EXPECT_THAT(CheckTypeSizes(MakeModule(NestedTuples(12))),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("a type has more than 1000 parts")));
}

}  // namespace

}  // namespace modelport
