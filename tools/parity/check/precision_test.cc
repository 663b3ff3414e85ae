#include "tools/parity/check/precision.h"

#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <torch/csrc/jit/api/module.h>

#include "common/status/status_matchers.h"
#include "common/torchscript/parity/reference.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using torch::jit::Module;

// A scale that half precision has exactly, and a difference of large numbers, which it has not.
Module Toy() {
  Module scale("Scale");
  scale.register_parameter("weight", at::full({4}, 2.0), /*is_buffer=*/false);
  scale.define("def forward(self, x: Tensor) -> Tensor:\n  return x * self.weight\n");
  Module shift("Shift");
  shift.register_parameter("weight", at::full({2}, 4096.0), /*is_buffer=*/false);
  shift.define("def forward(self, x: Tensor) -> Tensor:\n  return (x + self.weight[0]) - self.weight[1]\n");
  Module toy("Toy");
  toy.register_module("scale", scale);
  toy.register_module("shift", shift);
  toy.define("def forward(self, x: Tensor) -> Tensor:\n  return self.shift.forward(self.scale.forward(x))\n");
  return toy;
}

Reference Record() {
  auto reference = RecordReference(Toy(), "forward", {at::tensor({0.25f, 0.5f, 0.75f, 1.f})}, "toy", "toy");
  EXPECT_OK(reference);
  return *std::move(reference);
}

TEST(FindLossesTest, TheModuleThatLosesMostComesFirst) {
  ASSERT_OK_AND_ASSIGN(const auto losses, FindLosses(Toy(), Record(), at::kHalf));
  ASSERT_EQ(losses.size(), 2);
  EXPECT_EQ(losses[0].name, "shift");
  EXPECT_GT(losses[0].measures.relative(), 0.1);
  EXPECT_EQ(losses[1].measures.max_abs, 0);
}

TEST(FindMixedPrecisionTest, WhatMustStayInFloat32) {
  const Reference reference = Record();
  ASSERT_OK_AND_ASSIGN(const auto losses, FindLosses(Toy(), reference, at::kHalf));
  ASSERT_OK_AND_ASSIGN(const MixedPrecision mixed, FindMixedPrecision(Toy(), reference, at::kHalf, losses, 0.01));
  EXPECT_THAT(mixed.kept, testing::ElementsAre("shift"));
  EXPECT_EQ(mixed.error, 0);
  EXPECT_EQ(mixed.kept_elements, 2);
  EXPECT_EQ(mixed.elements, 6);
  EXPECT_EQ(mixed.runs, 3);
  ASSERT_OK_AND_ASSIGN(const MixedPrecision none, FindMixedPrecision(Toy(), reference, at::kHalf, losses, 10));
  EXPECT_THAT(none.kept, testing::IsEmpty());
  EXPECT_EQ(none.runs, 1);
}

}  // namespace
}  // namespace modelport
