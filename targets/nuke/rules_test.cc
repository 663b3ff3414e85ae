#include "targets/nuke/rules.h"

#include <torch/csrc/jit/api/module.h>

#include <string>

#include "common/torchscript/lint/rule_case.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using torch::jit::Module;

const RuleCase kCases[] = {
    {"FurtherArguments", "one tensor",
     "def forward(self, x, scale: float = 1.0, invert: bool = False):\n  return x * scale\n",
     "forward takes x: Tensor, scale: float, invert: bool, wants one Tensor",
     "def forward(self, x):\n  return x * 1.0\n"},
    {"SecondImage", "one tensor", "def forward(self, x, y):\n  return x * y\n",
     "forward takes x: Tensor, y: Tensor, wants one Tensor",
     Forward("  a, b = torch.chunk(x, 2, 1)\n  return a * b\n")},
    {"ListOfTensors", "one tensor", "def forward(self, x: List[Tensor]):\n  return x[0]\n",
     "forward takes x: List[Tensor], wants one Tensor", Forward("  return [x][0]\n")},
    {"NoArgument", "one tensor", "def forward(self):\n  return self.weight\n",
     "forward takes nothing, wants one Tensor", Forward("  return x\n")},
    {"Tuple", "one tensor", Forward("  return x, x + 1\n"), "forward returns Tuple[Tensor, Tensor], wants one Tensor",
     Forward("  return torch.cat([x, x + 1], 1)\n")},
    {"Dictionary", "one tensor", Forward("  return {\"depth\": x}\n"), "forward returns Dict[str, Tensor]",
     Forward("  return {\"depth\": x}[\"depth\"]\n")},
    {"NoForward", "one tensor", "def infer(self, x):\n  return x\n", "no forward", Forward("  return x\n")},
};

class ForwardRuleTest : public testing::TestWithParam<RuleCase> {};

TEST_P(ForwardRuleTest, FindsTheBadOneOnly) { ExpectFindsTheBadOneOnly(GetParam(), {.host_rules = NukeRules()}); }

INSTANTIATE_TEST_SUITE_P(All, ForwardRuleTest, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(BoolAttributesRuleTest, FindsKnobsOfTheRootOnly) {
  Module net("Net"), child("Child");
  for (Module* module : {&net, &child}) {
    module->register_attribute("training", c10::BoolType::get(), false);
    module->register_attribute("invert", c10::BoolType::get(), false);
    module->register_attribute("gain", c10::IntType::get(), 1);
  }
  net.register_module("child", child);
  net.define("def forward(self, x):\n  return x\n");
  EXPECT_THAT(CheckRules(NukeRules(), net),
              ElementsAre(AllOf(Field(&Finding::rule, "bool attribute"), Field(&Finding::modules, ElementsAre("")),
                                Field(&Finding::message, HasSubstr("attribute invert is a bool")))));
}

}  // namespace
}  // namespace modelport
