#include <ATen/ops/zeros.h>
#include <torch/csrc/jit/api/module.h>

#include <string>

#include "common/torchscript/lint/finding.h"
#include "common/torchscript/lint/rule_case.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using torch::jit::Module;

const RuleCase kFloat64Cases[] = {
    {"CastToFloat64", "float64", Forward("  return x.double()\n"), "aten::to is given the dtype float64",
     Forward("  return x * 0.1\n")},
    {"Float64Sum", "float64", Forward("  return x / x.sum(dtype=7)\n"), "aten::sum is given the dtype float64",
     Forward("  return x / x.sum()\n")},
};

class Float64RuleTest : public testing::TestWithParam<RuleCase> {};

TEST_P(Float64RuleTest, FindsTheBadOneOnly) { ExpectFindsTheBadOneOnly(GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, Float64RuleTest, testing::ValuesIn(kFloat64Cases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Float64TensorsTest, AreFoundInEveryKindOfAttribute) {
  Module net("Net"), child("Child");
  net.register_buffer("mean", at::zeros({3}, at::kDouble));
  net.register_attribute("levels", c10::ListType::ofTensors(), c10::List<at::Tensor>({at::zeros({3}, at::kDouble)}));
  net.register_buffer("epsilon", at::zeros({}, at::kDouble));
  child.register_parameter("weight", at::zeros({3}, at::kDouble), /*is_buffer=*/false);
  net.register_module("child", child);
  net.define("def forward(self, x):\n  return x\n");
  EXPECT_THAT(LintSaved(net),
              ElementsAre(AllOf(Field(&Finding::rule, "float64"), Field(&Finding::modules, ElementsAre("")),
                                Field(&Finding::message, "the tensor mean is float64")),
                          AllOf(Field(&Finding::rule, "float64"), Field(&Finding::modules, ElementsAre("")),
                                Field(&Finding::message, "a tensor in levels is float64")),
                          AllOf(Field(&Finding::rule, "float64"), Field(&Finding::modules, ElementsAre("child")))));
}

}  // namespace
}  // namespace modelport
