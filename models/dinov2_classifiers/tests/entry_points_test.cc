// The entry points of DINOv2's classifiers, in calls that the examples of an export do not make.
#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "tests/entry_points/entry_points_testing.h"

namespace modelport {
namespace {

TEST_F(EntryPointsTest, GiveWhatTheyState) {
  Export("tiny_dinov2_lc1", /*with_preprocess=*/true);
  EXPECT_OK(Call("forward", {Image({2, 3, 30, 41}).abs()}));
  EXPECT_OK(Call("labels", {}));
}

}  // namespace
}  // namespace modelport
