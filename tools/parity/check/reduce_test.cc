#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/jit/api/module.h>

#include "common/status/status_matchers.h"
#include "common/torchscript/parity/reference.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/parity/check/check_parity.h"

namespace modelport {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Key;
using torch::jit::Module;

// net(x) = norm(head(norm(x), true)), head(y, half) = scale(y) * (half ? 0.5 : 1) + shift.
Module Net(double factor, double shift) {
  Module scale("Scale");
  scale.register_parameter("weight", at::full({4}, factor), /*is_buffer=*/false);
  scale.define("def forward(self, x: Tensor) -> Tensor:\n  return x * self.weight\n");
  Module head("Head");
  head.register_module("scale", scale);
  head.register_parameter("bias", at::zeros({4}), /*is_buffer=*/false);
  head.register_attribute("shift", c10::FloatType::get(), shift);
  head.define(
      "def forward(self, x: Tensor, half: bool) -> Tensor:\n"
      "  y = self.scale.forward(x) + self.bias\n"
      "  return (y / 2 if half else y) + self.shift\n");
  Module norm("Norm");
  norm.define("def forward(self, x: Tensor) -> Tensor:\n  return x - x.mean()\n");
  Module net("Net");
  net.register_module("norm", norm);
  net.register_module("head", head);
  net.define(
      "def forward(self, x: Tensor) -> Tensor:\n"
      "  return self.norm.forward(self.head.forward(self.norm.forward(x), True))\n");
  return net;
}

Reference RightNet() {
  auto reference = RecordReference(Net(2, 1), "forward", {at::arange(4).to(at::kFloat)}, "r", "net");
  EXPECT_OK(reference);
  return *std::move(reference);
}

absl::optional<Stage> Found(const Module& module, const Reference& reference) {
  const auto forced = CompareReference(module, reference, {.lenient = true, .inject_all = true});
  EXPECT_OK(forced);
  return forced.ok() ? FindReduction(module, *forced, FindSuspects(*forced, {})) : absl::nullopt;
}

// Whether the submodule alone differs from its reference.
bool Differs(const Reduction& reduction) {
  const auto comparison = CompareReference(reduction.module, reduction.reference, {.lenient = true});
  EXPECT_OK(comparison);
  return comparison.ok() && FindDivergence(*comparison).has_value();
}

TEST(ReduceTest, TheSmallestSuspectIsCutOutWithItsInputsAndOutputs) {
  const Reference reference = RightNet();
  const Module wrong = Net(2.5, 1.5);  // The head is wrong, too, and holds more.
  const absl::optional<Stage> call = Found(wrong, reference);
  ASSERT_TRUE(call.has_value());
  EXPECT_EQ(StageName(*call), "head.scale");
  ASSERT_OK_AND_ASSIGN(const Reduction reduction, Reduce(wrong, reference, *call));
  EXPECT_EQ(reduction.reference.model, "net head.scale");
  EXPECT_TRUE(Differs(reduction));
  EXPECT_FALSE(Differs({Net(2, 1).attr("head").toModule().attr("scale").toModule(), reduction.reference}));
}

TEST(ReduceTest, ArgumentsThatAreNoTensorsAreThoseOfTheCall) {
  const Reference reference = RightNet();
  const Module wrong = Net(2, 1.5);
  const absl::optional<Stage> call = Found(wrong, reference);
  ASSERT_TRUE(call.has_value());
  EXPECT_EQ(StageName(*call), "head");
  ASSERT_OK_AND_ASSIGN(const Reduction reduction, Reduce(wrong, reference, *call));
  EXPECT_TRUE(reduction.reference.arguments.at("half").toBool());
  EXPECT_THAT(reduction.reference.expected, Contains(Key("input of scale")));
  EXPECT_THAT(reduction.reference.settings, Contains(Key("scale")));
  EXPECT_TRUE(Differs(reduction));
  EXPECT_FALSE(Differs({Net(2, 1).attr("head").toModule(), reduction.reference}));
}

TEST(ReduceTest, OneCallOfSeveralIsTaken) {
  ASSERT_OK_AND_ASSIGN(const Reduction reduction,
                       Reduce(Net(2, 1), RightNet(), {.path = "norm", .method = "forward", .call = 1}));
  EXPECT_TRUE(reduction.reference.arguments.at("x").toTensor().equal(at::tensor({-0.5f, 0.5f, 1.5f, 2.5f})));
  EXPECT_FALSE(Differs(reduction));
}

TEST(ReduceTest, NothingIsFoundInARightModule) { EXPECT_FALSE(Found(Net(2, 1), RightNet()).has_value()); }

TEST(ReduceTest, ACallThatIsNotMadeIsAnError) {
  EXPECT_THAT(Reduce(Net(2, 1), RightNet(), {.path = "norm", .call = 2}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("r: nothing calls norm [2]")));
}

}  // namespace
}  // namespace modelport
