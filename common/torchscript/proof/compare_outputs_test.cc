#include "common/torchscript/proof/compare_outputs.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/add.h>
#include <ATen/ops/arange.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/library.h>

#include <cmath>
#include <string>
#include <vector>

#include "common/expression/expression.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/proof/example.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using torch::jit::Module;

// A kernel whose output differs in each run.
at::Tensor Unstable(const at::Tensor& x) {
  static int runs = 0;
  return at::add(x, ++runs);
}

// A kernel that is unstable with oneDNN and stable without.
at::Tensor UnstableInOneDnn(const at::Tensor& x) {
  return at::globalContext().userEnabledMkldnn() ? Unstable(x) : x.clone();
}

// A kernel that returns NaN in every other run with oneDNN: for the first of two examples of each module.
at::Tensor NanInOneDnn(const at::Tensor& x) {
  static int runs = 0;
  return at::globalContext().userEnabledMkldnn() ? at::add(x, ++runs % 2 == 1 ? NAN : runs) : x.clone();
}

TORCH_LIBRARY_FRAGMENT(aten, m) {
  m.def("modelport_unstable(Tensor x) -> Tensor", &Unstable);
  m.def("modelport_unstable_in_onednn(Tensor x) -> Tensor", &UnstableInOneDnn);
  m.def("modelport_nan_in_onednn(Tensor x) -> Tensor", &NanInOneDnn);
}

Module Toy(const std::string& body) {
  Module module("Toy");
  module.register_parameter("weight", at::arange(3, at::kFloat), /*is_buffer=*/false);
  module.define("def forward(self, x: Tensor) -> Tensor:\n  y = torch.relu(x) + self.weight\n  return " + body + "\n");
  return module;
}

absl::StatusOr<ComparedOutputs> Compare(const Module& expected, const Module& actual, bool allow_nonfinite = false) {
  const std::vector<Call> examples = {*ParseCall("forward([2, 3])"), *ParseCall("forward([1, 3])")};
  const auto expected_outputs = RunExamples(expected, examples), outputs = RunExamples(actual, examples);
  EXPECT_OK(expected_outputs);
  EXPECT_OK(outputs);
  return CompareOutputs(expected, actual, examples, *expected_outputs, *outputs, allow_nonfinite);
}

TEST(CompareOutputsTest, EqualModulesAgree) {
  ASSERT_OK_AND_ASSIGN(const ComparedOutputs compared, Compare(Toy("y"), Toy("y")));
  ASSERT_EQ(compared.outputs.size(), 2u);
  EXPECT_EQ(compared.outputs[1].call, "forward([1, 3])");
  EXPECT_EQ(compared.outputs[1].shape, Shape({1, 3}));
  EXPECT_EQ(compared.outputs[1].max_abs, 0);
  EXPECT_THAT(compared.kernel_fault, IsEmpty());
}

TEST(CompareOutputsTest, ADifferenceOfStableModulesIsDataLoss) {
  EXPECT_THAT(Compare(Toy("y"), Toy("y + 1e-3")),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("forward([2, 3]) differs by 0.001")));
}

TEST(CompareOutputsTest, AnUnstableKernelOfOneDnnIsNamedAndNotUsed) {
  const Module module = Toy("torch.modelport_unstable_in_onednn(y)");
  ASSERT_OK_AND_ASSIGN(const ComparedOutputs compared, Compare(module, module));
  EXPECT_EQ(compared.kernel_fault,
            "aten::modelport_unstable_in_onednn(float32 [2, 3]) gives other outputs for equal inputs");
  EXPECT_EQ(compared.outputs[0].max_abs, 0);
  EXPECT_TRUE(at::globalContext().userEnabledMkldnn());
}

TEST(CompareOutputsTest, ADifferenceBesideAnUnstableKernelIsDataLoss) {
  EXPECT_THAT(Compare(Toy("torch.modelport_unstable_in_onednn(y)"), Toy("torch.modelport_unstable_in_onednn(y) + 1")),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("forward([2, 3]) differs by")));
}

TEST(CompareOutputsTest, NanOfAnUnstableKernelIsAKernelFault) {
  const Module module = Toy("torch.modelport_nan_in_onednn(y)");
  ASSERT_OK_AND_ASSIGN(const ComparedOutputs compared, Compare(module, module));
  EXPECT_THAT(compared.kernel_fault, HasSubstr("aten::modelport_nan_in_onednn"));
  EXPECT_EQ(compared.outputs[0].nan, 0);
}

TEST(CompareOutputsTest, AKernelThatIsUnstableWithoutOneDnnIsUnavailable) {
  const Module module = Toy("torch.modelport_unstable(y)");
  EXPECT_THAT(Compare(module, module),
              StatusIs(absl::StatusCode::kUnavailable,
                       AllOf(HasSubstr("nothing can be proven on this machine"),
                             HasSubstr("aten::modelport_unstable(float32 [2, 3]) gives other outputs"))));
}

TEST(CompareOutputsTest, RandomOperatorsAreInvalidArguments) {
  const Module module = Toy("y + torch.rand_like(y)");
  EXPECT_THAT(Compare(module, module), StatusIs(absl::StatusCode::kInvalidArgument,
                                                HasSubstr(" draws random numbers, so outputs cannot be compared")));
}

TEST(CompareOutputsTest, EqualOutputsThatAreNotFiniteAreAnError) {
  const Module module = Toy("torch.log(torch.relu(-y[:, 0:2] - 1)) + 1");
  EXPECT_THAT(Compare(module, module),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("forward([2, 3]): 0 of 4 values are NaN and 4 infinite"),
                             HasSubstr("come from aten::log(float32 [2, 2])"), HasSubstr("--allow_nonfinite"))));
  ASSERT_OK_AND_ASSIGN(const ComparedOutputs compared, Compare(module, module, /*allow_nonfinite=*/true));
  EXPECT_EQ(compared.outputs[0].infinite, 4);
  EXPECT_EQ(compared.outputs[0].nan, 0);
  EXPECT_THAT(compared.kernel_fault, IsEmpty());
}

TEST(CompareOutputsTest, NanIsCountedApartFromInfinity) {
  const Module module = Toy("(y - y) / (y - y)");
  EXPECT_THAT(Compare(module, module),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("6 of 6 values are NaN and 0 infinite")));
}

// A kernel whose output differs in every third run.
at::Tensor UnstableInThirdRun(const at::Tensor& x) {
  static int runs = 0;
  return at::add(x, ++runs % 3 == 0 ? 1 : 0);
}

TORCH_LIBRARY_FRAGMENT(aten, m) { m.def("modelport_unstable_in_third_run(Tensor x) -> Tensor", &UnstableInThirdRun); }

absl::StatusOr<absl::optional<OperatorRun>> Find(const std::string& body, const std::string& call = "forward([2, 3])") {
  torch::jit::Module module("Toy");
  module.define("def forward(self, x: Tensor) -> Tensor:\n  y = torch.relu(x)\n  return " + body + "\n");
  return FindUnstableOperator(module, *ParseCall(call));
}

TEST(FindUnstableOperatorTest, FindsTheFirstOperatorWhoseOutputsDifferForEqualInputs) {
  ASSERT_OK_AND_ASSIGN(const auto found, Find("torch.exp(torch.modelport_unstable_in_third_run(y * 2))"));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->call, "aten::modelport_unstable_in_third_run(float32 [2, 3])");
  EXPECT_FALSE(found->is_random);
}

TEST(FindUnstableOperatorTest, FindsRandomOperators) {
  ASSERT_OK_AND_ASSIGN(const auto found, Find("y + torch.rand_like(y)"));
  ASSERT_TRUE(found.has_value());
  // aten::rand_like calls aten::uniform_.
  EXPECT_THAT(found->name, AnyOf("aten::rand_like", "aten::uniform_"));
  EXPECT_TRUE(found->is_random);
}

TEST(FindUnstableOperatorTest, FindsNoneInAStableModule) {
  // Both operators start from uninitialised memory.
  ASSERT_OK_AND_ASSIGN(const auto found,
                       Find("torch.zeros_like(y) + torch.conv2d(y[None, None], torch.ones([1, 1, 1, 1]))[0, 0]"));
  EXPECT_FALSE(found.has_value()) << found->call;
}

TEST(FindUnstableOperatorTest, ACallThatFailsIsAnError) {
  EXPECT_THAT(Find("y", "backward([2, 3])"), StatusIs(absl::StatusCode::kInvalidArgument, testing::_));
}

TEST(WithoutOneDnnTest, OneDnnIsUsedAgainAfterwards) {
  EXPECT_TRUE(at::globalContext().userEnabledMkldnn());
  {
    const WithoutOneDnn without;
    EXPECT_FALSE(at::globalContext().userEnabledMkldnn());
  }
  EXPECT_TRUE(at::globalContext().userEnabledMkldnn());
}

}  // namespace

}  // namespace modelport
