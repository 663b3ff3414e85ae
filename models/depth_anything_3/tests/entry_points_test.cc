// The entry points of Depth Anything 3, in calls that the examples of an export do not make.
#include <ATen/ops/eye.h>

#include <string>
#include <vector>

#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "tests/entry_points/entry_points_testing.h"

namespace modelport {
namespace {

TEST_F(EntryPointsTest, GiveWhatTheyState) {
  for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
    const at::ScalarType type = dtype == DType::kFloat32 ? at::kFloat : at::kBFloat16;
    for (const char* model : {"tiny_any", "tiny_nested"}) {
      Export(model, /*with_preprocess=*/false, dtype);
      const at::Tensor x = Image({1, 2, 3, 28, 42}, type);
      const at::Tensor poses = at::eye(4).expand({1, 2, 4, 4}), lenses = at::eye(3).mul(20).expand({1, 2, 3, 3});
      const auto layers = c10::List<int64_t>({1, 3});
      const c10::List<int64_t> none;
      EXPECT_OK(Call("forward", {x})) << model;
      EXPECT_OK(Call("forward", {x, poses, lenses, layers, true})) << model;
      EXPECT_OK(Call("forward", {x, poses.slice(2, 0, 3), lenses})) << model;
      EXPECT_OK(Call("forward", {x, c10::IValue(), c10::IValue(), none, true, true, "middle"})) << model;
      EXPECT_OK(Call("normalize_extrinsics", {poses})) << model;
      Export(model, /*with_preprocess=*/true, dtype);
      const at::Tensor raw = Image({1, 2, 3, 31, 45}).abs();
      EXPECT_OK(Call("forward", {raw, 42, true})) << model;
      EXPECT_OK(Call("inference", {raw, 42, true})) << model;
    }
    Export("tiny_metric", /*with_preprocess=*/true, dtype);
    EXPECT_OK(Call("inference", {Image({1, 2, 3, 31, 45}).abs(), 42}));
  }
}

}  // namespace
}  // namespace modelport
