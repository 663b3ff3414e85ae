#include "bench/kernel_time.h"

#include <ATen/ops/bmm.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/conv_transpose2d.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/softmax.h>
#include <torch/jit.h>

#include <functional>

#include "gtest/gtest.h"

namespace modelport {
namespace {

double Flop(const std::function<void()>& function) {
  const KernelTime time = MeasureKernels(function);
  EXPECT_EQ(time.flop > 0, time.cpu_seconds > 0);
  return time.flop;
}

TEST(KernelTimeTest, CountsEachProductOnce) {
  const at::Tensor x = at::rand({5, 7}), weight = at::rand({11, 7});
  EXPECT_EQ(Flop([&] { at::linear(x, weight, at::rand({11})); }), 2 * 5 * 7 * 11);
  EXPECT_EQ(Flop([&] { at::matmul(x, weight.t()).add_(at::matmul(x, weight.t())); }), 2 * 2 * 5 * 7 * 11);
  EXPECT_EQ(Flop([&] { at::bmm(at::rand({3, 5, 7}), at::rand({3, 7, 2})); }), 2 * 3 * 5 * 7 * 2);
  EXPECT_EQ(Flop([&] { at::softmax(x, 1); }), 0);
}

TEST(KernelTimeTest, CountsConvolutions) {
  const at::Tensor x = at::rand({2, 4, 9, 9});
  EXPECT_EQ(Flop([&] { at::conv2d(x, at::rand({6, 2, 3, 3}), {}, 2, 1, 1, 2); }), 2 * 2 * 6 * 5 * 5 * 2 * 3 * 3);
  EXPECT_EQ(Flop([&] { at::conv_transpose2d(x, at::rand({4, 6, 2, 2}), {}, 2); }), 2 * 2 * 4 * 9 * 9 * 6 * 2 * 2);
}

TEST(KernelTimeTest, CountsAttentionAsTwoProducts) {
  const at::Tensor query = at::rand({1, 2, 5, 8}), key = at::rand({1, 2, 7, 8});
  EXPECT_EQ(Flop([&] { at::scaled_dot_product_attention(query, key, key); }), 2 * 2 * 2 * 5 * 7 * 8);
  const at::Tensor many = at::rand({1, 2, 300, 8});
  EXPECT_EQ(Flop([&] { at::scaled_dot_product_attention(many, key, key); }), 2 * 2 * 2 * 300 * 7 * 8);
}

// When it comes to the product, the interpreter's stack holds the first entry of the dictionary.
TEST(KernelTimeTest, CountsProductsInTorchScript) {
  const at::Tensor x = at::rand({5, 7}), weight = at::rand({11, 7});
  const auto unit = torch::jit::compile("def f(x, w):\n  return {\"a\": torch.relu(x), \"b\": torch.linear(x, w)}\n");
  EXPECT_EQ(Flop([&] { unit->run_method("f", x, weight); }), 2 * 5 * 7 * 11);
}

}  // namespace
}  // namespace modelport
