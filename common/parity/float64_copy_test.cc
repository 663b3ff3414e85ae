#include "common/parity/float64_copy.h"

#include <ATen/Functions.h>

#include "gtest/gtest.h"

namespace modelport {
namespace {

using torch::jit::Module;

TEST(Float64CopyTest, FloatingTensorsOfEveryDepthAreFloat64AndTheModuleStaysAsItIs) {
  Module inner("Inner");
  inner.register_parameter("weight", at::full({2}, 3, at::kHalf), /*is_buffer=*/false);
  inner.register_buffer("count", at::full({}, 7, at::kLong));
  inner.define("def forward(self, x: Tensor) -> Tensor:\n  return x * self.weight + self.count\n");
  Module outer("Outer");
  outer.register_module("inner", inner);
  outer.register_buffer("scale", at::full({2}, 0.5));
  outer.define("def forward(self, x: Tensor) -> Tensor:\n  return self.inner.forward(x) * self.scale\n");

  Module copy = Float64Copy(outer);
  EXPECT_EQ(copy.attr("scale").toTensor().scalar_type(), at::kDouble);
  const Module copied = copy.attr("inner").toModule();
  EXPECT_EQ(copied.attr("weight").toTensor().scalar_type(), at::kDouble);
  EXPECT_EQ(copied.attr("count").toTensor().scalar_type(), at::kLong);
  EXPECT_TRUE(copy.forward({at::ones({2}, at::kDouble)}).toTensor().equal(at::full({2}, 5, at::kDouble)));

  EXPECT_EQ(outer.attr("scale").toTensor().scalar_type(), at::kFloat);
  EXPECT_EQ(inner.attr("weight").toTensor().scalar_type(), at::kHalf);
}

}  // namespace
}  // namespace modelport
