#include "common/torchscript/proof/kernel_fault.h"

#include <ATen/Context.h>
#include <ATen/ops/add.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/library.h>

#include <string>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::AnyOf;

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
