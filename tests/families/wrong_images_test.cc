// An image of another form than a model of the family takes is an error that says what is wanted.
#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "tests/support/exported_module.h"
#include "tests/support/test_models.h"

namespace modelport {
namespace {

using testing::HasSubstr;
using testing::ValuesIn;

class WrongImageTest : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Models, WrongImageTest, ValuesIn(TestModels()), [](const auto& info) { return info.param; });

TEST_P(WrongImageTest, TheErrorSaysWhatIsWanted) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
  ASSERT_OK_AND_ASSIGN(const torch::jit::Module module, ExportSeeded(registry, GetParam(), /*seed=*/0));
  ASSERT_OK_AND_ASSIGN(const std::vector<c10::IValue> example, FirstExample(registry, GetParam(), module));
  const auto error = [&](const at::Tensor& image) {
    std::vector<c10::IValue> arguments = example;
    arguments.front() = image;
    return ErrorOfForward(module, arguments);
  };
  const at::Tensor x = example.front().toTensor();
  EXPECT_EQ(error(x), "");

  const std::string layout =
      x.dim() == 4 ? "the input must be [B, 3, H, W]" : "the input must be [batch, views, 3, height, width]";
  const at::Tensor square = x.slice(-1, 0, 14).slice(-2, 0, 14);
  EXPECT_THAT(error(square.movedim(-3, -1)), HasSubstr(layout)) << "channels last";
  EXPECT_THAT(error(x.slice(-3, 0, x.size(-3) - 1)), HasSubstr(layout)) << "a channel less";
  if (x.size(-3) > 1) {
    EXPECT_THAT(error(x.slice(-3, 0, 1)), HasSubstr(layout)) << "one channel";
  }
  EXPECT_THAT(error(x[0]), HasSubstr(layout)) << "no batch";

  EXPECT_THAT(error(x.slice(-2, 0, 0)), HasSubstr("at least one")) << "no row";
  EXPECT_THAT(error(x.slice(-1, 0, 0)), HasSubstr("at least one")) << "no column";
  EXPECT_THAT(error(x.slice(0, 0, 0)), HasSubstr("at least one")) << "an empty batch";
  if (x.dim() == 5) {
    EXPECT_THAT(error(x.slice(1, 0, 0)), HasSubstr("view")) << "no views";
  }

  for (const at::ScalarType dtype : {at::kByte, at::kDouble, at::kHalf}) {
    EXPECT_THAT(error(x.to(dtype)), HasSubstr("the image must have the dtype of the weights")) << dtype;
  }
  EXPECT_THAT(error(x.to(at::kMeta)), HasSubstr("the image must be on the device of the weights"));
}

}  // namespace
}  // namespace modelport
