// What callers get wrong is an error that says what is wanted.
#include <ATen/ops/eye.h>
#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "tests/support/examples.h"
#include "tests/support/exported_module.h"

namespace modelport {
namespace {

using testing::HasSubstr;

TEST(WrongCamerasTest, TheErrorSaysWhatIsWanted) {
  for (const std::string& name : {ExampleModel("views"), ExampleModel("views in metres")}) {
    ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
    ASSERT_OK_AND_ASSIGN(const torch::jit::Module module, ExportSeeded(registry, name, /*seed=*/0));
    ASSERT_OK_AND_ASSIGN(const std::vector<c10::IValue> example, FirstExample(registry, name, module));
    const at::Tensor image = example.front().toTensor();
    const int64_t batch = image.size(0), views = image.size(1);
    const auto cameras = [&](int64_t views, int64_t size) { return at::eye(size).expand({batch, views, size, size}); };
    const auto error = [&](const at::Tensor& extrinsics, const at::Tensor& intrinsics) {
      return ErrorOfForward(module, {image, extrinsics, intrinsics});
    };
    EXPECT_EQ(error(cameras(views, 4), cameras(views, 3)), "");
    EXPECT_EQ(error(cameras(views, 4).slice(2, 0, 3), cameras(views, 3)), "");
    EXPECT_THAT(error(cameras(views + 1, 4), cameras(views, 3)), HasSubstr("extrinsics must be [batch, views,"));
    EXPECT_THAT(error(cameras(views, 4), cameras(views + 1, 3)), HasSubstr("intrinsics must be [batch, views,"));
    EXPECT_THAT(error(cameras(views, 3), cameras(views, 3)), HasSubstr("extrinsics must be [batch, views,"));
    EXPECT_THAT(error(cameras(views, 4)[0], cameras(views, 3)), HasSubstr("extrinsics must be [batch, views,"));
  }
}

}  // namespace
}  // namespace modelport
