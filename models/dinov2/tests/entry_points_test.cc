// DINOv2's entry points, in calls that the examples of an export do not make.
#include <ATen/ops/zeros.h>

#include <string>
#include <vector>

#include "common/status/status_matchers.h"
#include "common/tensor/dtype.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/entry_points/entry_points_testing.h"

namespace modelport {
namespace {

TEST_F(EntryPointsTest, GiveWhatTheyState) {
  Export("tiny_dinov2_reg", /*with_preprocess=*/false);
  const at::Tensor x = Image({2, 3, 28, 42});
  EXPECT_OK(Call("forward", {x}));
  EXPECT_OK(Call("forward_features", {x}));
  EXPECT_OK(Call("forward_features", {x, at::zeros({2, 6}, at::kBool)}));
  EXPECT_OK(Call("image_features", {x}));
  for (const bool reshape : {false, true}) {
    for (const bool token : {false, true}) {
      EXPECT_OK(Call("get_intermediate_layers", {x, c10::List<int64_t>({3, 1}), reshape, token, true}));
    }
  }
}

TEST_F(EntryPointsTest, PatchesMayHaveAnotherSize) {
  Export("tiny_dinov2_reg", /*with_preprocess=*/false, DType::kFloat32, "patch=16");
  EXPECT_OK(Call("forward_features", {Image({2, 3, 32, 48})}));
  EXPECT_THAT(Call("forward", {Image({2, 3, 28, 42})}).message(),
              testing::HasSubstr("multiples of the patch size, 16"));
  Export("tiny_dinov2_reg", /*with_preprocess=*/true, DType::kFloat32, "patch=16");
  EXPECT_OK(Call("forward", {Image({2, 3, 45, 31})}));
}

}  // namespace
}  // namespace modelport
