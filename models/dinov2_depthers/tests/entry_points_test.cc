// The entry points of DINOv2's depth models, in calls that the examples of an export do not make.
#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "tests/entry_points/entry_points_testing.h"

namespace modelport {
namespace {

TEST_F(EntryPointsTest, GiveWhatTheyState) {
  Export("tiny_ld4", /*with_preprocess=*/false);
  EXPECT_OK(Call("image_depth", {Image({2, 3, 30, 41})}));
}

}  // namespace
}  // namespace modelport
