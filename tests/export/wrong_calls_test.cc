// What callers get wrong is an error that says what is wanted.
#include <ATen/ops/eye.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "common/status/status_matchers.h"
#include "common/torchscript/proof/compare_outputs.h"
#include "common/torchscript/script/torch_status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/plugin.h"
#include "registry/registry.h"
#include "tests/support/examples.h"
#include "tests/support/exported_module.h"

namespace modelport {
namespace {

using testing::HasSubstr;

// A variant, and the input of its first example.
struct TestedModel {
  torch::jit::Module module;
  at::Tensor image;
};

TestedModel Export(const std::string& name) {
  auto registry = Registry::Load(BuiltInPlugins(), {"models"});
  EXPECT_OK(registry);
  auto entry = registry->Find(name);
  EXPECT_OK(entry);
  auto module = ExportSeeded(*registry, name, /*seed=*/0);
  EXPECT_OK(module);
  const auto examples = ExamplesOf(*entry->plugin, *entry->variant);
  EXPECT_OK(examples);
  auto arguments = ExampleInputs(*module, examples->front());
  EXPECT_OK(arguments);
  return {*module, arguments->front().toTensor()};
}

std::string Error(torch::jit::Module& module, const std::vector<c10::IValue>& arguments) {
  const c10::InferenceMode inference;
  return std::string(CatchTorch([&] { return module.forward(arguments); }).status().message());
}

TEST(WrongCamerasTest, TheErrorSaysWhatIsWanted) {
  for (const std::string& name : {ExampleModel("views"), ExampleModel("views in metres")}) {
    TestedModel model = Export(name);
    const int64_t batch = model.image.size(0), views = model.image.size(1);
    const auto cameras = [&](int64_t views, int64_t size) { return at::eye(size).expand({batch, views, size, size}); };
    const auto error = [&](const at::Tensor& extrinsics, const at::Tensor& intrinsics) {
      return Error(model.module, {model.image, extrinsics, intrinsics});
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
