#include "common/torchscript/proof/operator_trace.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand_like.h>
#include <ATen/ops/reciprocal.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::Contains;
using testing::IsEmpty;

std::vector<std::string> Calls(const std::vector<OperatorRun>& runs) {
  std::vector<std::string> calls;
  for (const OperatorRun& run : runs) calls.push_back(run.call);
  return calls;
}

TEST(OperatorTraceTest, OperatorsComeBeforeTheirCallers) {
  const at::Tensor x = at::ones({2, 3}), weight = at::ones({4, 3});
  const std::vector<std::string> calls = Calls(TraceOperators([&] { at::linear(x, weight); }));
  EXPECT_THAT(calls, Contains("aten::mm(float32 [2, 3], float32 [3, 4])"));
  EXPECT_EQ(calls.back(), "aten::linear(float32 [2, 3], float32 [4, 3], None)");
}

TEST(OperatorTraceTest, AnOperatorInTorchScriptHasItsOwnArgumentsOnly) {
  torch::jit::Module module("Toy");
  module.define("def forward(self, x: Tensor) -> Tensor:\n  for i in range(3):\n    x = x.mul(x)\n  return x\n");
  const at::Tensor x = at::ones({2, 3});
  const auto runs = TraceOperators([&] { module.forward({x}); });
  EXPECT_EQ(Calls(runs), std::vector<std::string>(3, "aten::mul(float32 [2, 3], float32 [2, 3])"));
}

TEST(OperatorTraceTest, DifferentValuesHaveDifferentDigests) {
  const at::Tensor one = at::full({3}, 1.0), other = at::full({3}, 2.0);
  const auto run = [&](const at::Tensor& x, double factor) {
    return TraceOperators([&] { at::leaky_relu(x, factor); }).back();
  };
  EXPECT_EQ(run(one, 0.5).input_digest, run(one.clone(), 0.5).input_digest);
  EXPECT_EQ(run(one, 0.5).output_digest, run(one, 0.25).output_digest);
  EXPECT_NE(run(one, 0.5).input_digest, run(other, 0.5).input_digest);
  EXPECT_NE(run(one, 0.5).input_digest, run(one, 0.25).input_digest);
  EXPECT_NE(run(one, 0.5).output_digest, run(other, 0.5).output_digest);
}

TEST(OperatorTraceTest, InputsAreReadBeforeTheOperatorChangesThem) {
  const auto run = [](double value) {
    const at::Tensor x = at::full({2}, value);
    return TraceOperators([&] { x.mul_(0); }).back();
  };
  EXPECT_EQ(run(1).call, "aten::mul_(float32 [2], 0)");
  EXPECT_EQ(run(1).output_digest, run(2).output_digest);
  EXPECT_NE(run(1).input_digest, run(2).input_digest);
}

TEST(OperatorTraceTest, MarksTheOperatorThatMakesNonfiniteValues) {
  const at::Tensor zero = at::zeros({2});
  const auto runs = TraceOperators([&] { at::relu(at::reciprocal(zero)); });
  EXPECT_EQ(runs.front().name, "aten::reciprocal");
  EXPECT_TRUE(runs.front().makes_nonfinite);
  EXPECT_EQ(runs.back().name, "aten::relu");
  EXPECT_FALSE(runs.back().makes_nonfinite) << "its input has them already";
}

TEST(OperatorTraceTest, MarksRandomOperators) {
  const at::Tensor x = at::zeros({2});
  EXPECT_TRUE(TraceOperators([&] { at::rand_like(x); }).back().is_random);
  EXPECT_FALSE(TraceOperators([&] { at::relu(x); }).back().is_random);
}

TEST(OperatorTraceTest, OperatorsThatReturnUninitialisedMemoryAreLeftOut) {
  EXPECT_THAT(TraceOperators([] { at::empty({2}); }), IsEmpty());
  EXPECT_THAT(TraceOperators([] {}), IsEmpty());
}

}  // namespace
}  // namespace modelport
