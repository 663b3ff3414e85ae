#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <torch/csrc/jit/api/module.h>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/parity/check/compared_model.h"

namespace modelport {
namespace {

torch::jit::Module LogOfInner() {
  torch::jit::Module inner("Inner");
  inner.define("def forward(self, x: Tensor) -> Tensor:\n  y = x - 1\n  return torch.log(y)\n");
  torch::jit::Module toy("Toy");
  toy.register_module("inner", inner);
  toy.define("def forward(self, x: Tensor) -> Tensor:\n  x = x + 0\n  return self.inner.forward(x) * 2\n");
  return toy;
}

TEST(FindNonfiniteOperatorTest, TheFirstOneAndItsLine) {
  ASSERT_OK_AND_ASSIGN(const auto found, FindNonfiniteOperator(LogOfInner(), "forward", {at::ones({3})}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->call, "aten::log(float32 [3])");
  EXPECT_EQ(found->line.text, "return torch.log(y)");
}

TEST(FindNonfiniteOperatorTest, NoneWhereAllIsFinite) {
  ASSERT_OK_AND_ASSIGN(const auto found, FindNonfiniteOperator(LogOfInner(), "forward", {at::full({3}, 3.0)}));
  EXPECT_FALSE(found);
  EXPECT_THAT(FindNonfiniteOperator(LogOfInner(), "backward", {}),
              StatusIs(absl::StatusCode::kNotFound, "no method backward"));
}

}  // namespace
}  // namespace modelport
