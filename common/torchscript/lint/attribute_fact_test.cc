#include <ATen/ops/ones.h>
#include <torch/csrc/jit/api/module.h>

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

}  // namespace
}  // namespace modelport
