// Artifacts of Depth Anything V2 for Nuke whose depth is 0 everywhere, which the model can return.
#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/full_like.h>

#include <cstdint>

#include "gtest/gtest.h"
#include "tests/nuke/nuke_model.h"

namespace modelport {
namespace {

class FlatDepthTest : public testing::TestWithParam<at::ScalarType> {
 protected:
  void SetUp() override {
    for (const auto& parameter : model_.nuke.named_parameters()) {
      if (parameter.name.find("output_conv2.2") != std::string::npos) parameter.value.detach().zero_();
    }
    model_.nuke.to(GetParam());
  }

  at::Tensor Depth(int64_t convention, int64_t normalize) {
    return model_.Run(SeededImage(1, 3, 15, 20).to(GetParam()), {{"convention", convention}, {"normalize", normalize}});
  }

  NukeModel model_ = GetNukeModel("tiny_dav2");
};

INSTANTIATE_TEST_SUITE_P(Types, FlatDepthTest, testing::Values(at::kFloat, at::kHalf));

TEST_P(FlatDepthTest, HasNoNanAndNoInfinity) {
  EXPECT_TRUE((Depth(0, 0) == 0).all().item<bool>());
  EXPECT_TRUE((Depth(0, 1) == 0).all().item<bool>());
  EXPECT_TRUE((Depth(2, 1) == 1).all().item<bool>());
  const at::Tensor far = Depth(2, 0).to(at::kDouble);
  EXPECT_TRUE(at::allclose(far, at::full_like(far, 1e4), /*rtol=*/1e-3));
}

}  // namespace
}  // namespace modelport
