#include "common/torchscript/proof/epsilon.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>

#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(EpsilonTest, IsTheLeastPowerOfTwoThatChangesOne) {
  for (const at::ScalarType type : {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16}) {
    const at::Tensor one = at::ones({}, type);
    const auto plus = [&](double value) { return one + at::full({}, value, type); };
    EXPECT_FALSE(plus(Epsilon(type)).equal(one)) << c10::toString(type);
    EXPECT_TRUE(plus(Epsilon(type) / 2).equal(one)) << c10::toString(type);
  }
}

}  // namespace
}  // namespace modelport
