// An image of another form than a model of the family takes is an error that says what is wanted.
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
#include "tests/support/exported_module.h"
#include "tests/support/test_models.h"

namespace modelport {
namespace {

using testing::HasSubstr;
using testing::ValuesIn;

// A variant, and the input of its first example; other arguments of that have the example's values.
struct TestedModel {
  torch::jit::Module module;
  at::Tensor image;
  std::vector<c10::IValue> others;
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
  return {*module, arguments->front().toTensor(), {arguments->begin() + 1, arguments->end()}};
}

std::string Error(torch::jit::Module& module, const std::vector<c10::IValue>& arguments) {
  const c10::InferenceMode inference;
  return std::string(CatchTorch([&] { return module.forward(arguments); }).status().message());
}

std::string Error(TestedModel& model, const at::Tensor& image) {
  std::vector<c10::IValue> arguments = {image};
  arguments.insert(arguments.end(), model.others.begin(), model.others.end());
  return Error(model.module, arguments);
}

class WrongImageTest : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Models, WrongImageTest, ValuesIn(TestModels()), [](const auto& info) { return info.param; });

TEST_P(WrongImageTest, TheErrorSaysWhatIsWanted) {
  TestedModel model = Export(GetParam());
  const at::Tensor& x = model.image;
  EXPECT_EQ(Error(model, x), "");

  const std::string layout =
      x.dim() == 4 ? "the input must be [B, 3, H, W]" : "the input must be [batch, views, 3, height, width]";
  const at::Tensor square = x.slice(-1, 0, 14).slice(-2, 0, 14);
  EXPECT_THAT(Error(model, square.movedim(-3, -1)), HasSubstr(layout)) << "channels last";
  EXPECT_THAT(Error(model, x.slice(-3, 0, 1)), HasSubstr(layout)) << "one channel";
  EXPECT_THAT(Error(model, x[0]), HasSubstr(layout)) << "no batch";

  for (const at::ScalarType dtype : {at::kByte, at::kDouble, at::kHalf}) {
    EXPECT_THAT(Error(model, x.to(dtype)), HasSubstr("the image must have the dtype of the weights")) << dtype;
  }
  EXPECT_THAT(Error(model, x.to(at::kMeta)), HasSubstr("the image must be on the device of the weights"));
}

}  // namespace
}  // namespace modelport
