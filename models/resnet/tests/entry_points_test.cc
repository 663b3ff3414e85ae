// ResNet's entry points, in calls that the examples of an export do not make.
#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "common/status/status_matchers.h"
#include "common/tensor/dtype.h"
#include "gtest/gtest.h"
#include "tests/entry_points/entry_points_testing.h"

namespace modelport {
namespace {

TEST_F(EntryPointsTest, GiveWhatTheyState) {
  for (const char* model : {"tiny_resnet", "tiny_resnet_bottleneck"}) {
    Export(model, /*with_preprocess=*/false);
    for (const std::vector<int64_t>& shape : {std::vector<int64_t>{1, 3, 64, 96}, {2, 3, 33, 95}, {1, 3, 1, 65}}) {
      for (const char* method : {"forward", "image_features", "feature_levels", "pooled_features", "image_classes"}) {
        EXPECT_OK(Call(method, {Image(shape)})) << model << " " << method;
      }
    }
  }
}

// A model without fc gives what fc would take.
TEST_F(EntryPointsTest, WithoutClassesForwardGivesFeatures) {
  Export("tiny_resnet", /*with_preprocess=*/false, DType::kFloat32, "classes=0");
  for (const char* method : {"forward", "image_features", "feature_levels", "pooled_features"}) {
    EXPECT_OK(Call(method, {Image({2, 3, 64, 96})})) << method;
  }
  EXPECT_FALSE(Call("image_classes", {Image({2, 3, 64, 96})}).ok());
}

}  // namespace
}  // namespace modelport
