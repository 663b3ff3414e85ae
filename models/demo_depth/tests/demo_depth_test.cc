// demo_depth does its job: it tells the depth of scenes that it never saw, through predict and through artifacts, and
// the faults that users fear are seen. Its weights are trained, which seeded ones are not.
#include <torch/csrc/jit/api/module.h>

#include <cstdio>
#include <fstream>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/archive/load_module.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/demo_depth/tests/drawn_depth.h"
#include "tests/support/mutated_plugins.h"
#include "tests/support/tool_process.h"
#include "tools/image/encode_png.h"
#include "tools/image/testing/read_exr.h"

namespace modelport {
namespace {

using testing::HasSubstr;

// Runs predict on all scenes with these flags.
Accuracy Predict(const std::vector<std::string>& more) {
  const std::string folder = EmptyFolder("predict");
  const std::vector<DrawnScene>& scenes = DrawnScenes();
  std::string inputs;
  for (size_t i = 0; i < scenes.size(); ++i) {
    const Picture& picture = scenes[i].picture;
    const auto png = EncodePng(picture.width(), picture.height(), absl::MakeConstSpan(picture.rgb()), {});
    EXPECT_OK(png);
    const std::string name = absl::StrCat(i, ".png");
    std::ofstream(folder + "/" + name, std::ios::binary) << *png;
    absl::StrAppend(&inputs, i == 0 ? "" : ",", name);
  }
  std::vector<std::string> arguments = {"--model=demo_depth", "--input=" + inputs, "--out=*.exr"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const ToolResult result = RunWarmTool("predict", arguments, folder, {{"XDG_CACHE_HOME", folder + "/cache"}});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, testing::Not(HasSubstr("SEEDED")));
  Accuracy accuracy;
  for (size_t i = 0; i < scenes.size(); ++i) {
    ExrContent exr = ReadExr(absl::StrCat(folder, "/", i, ".exr"));
    accuracy.Add(exr.channels["depth.Z"], scenes[i].depth);
  }
  std::printf("%s\n", testing::PrintToString(accuracy).c_str());
  return accuracy;
}

TEST(DemoDepthTest, PredictTellsTheDepth) { EXPECT_TRUE(Predict({}).is_good()); }

class DemoDepthPredictTest : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(DemoDepthPredictTest, TellsTheDepth) { EXPECT_TRUE(Predict(GetParam()).is_good()); }

INSTANTIATE_TEST_SUITE_P(Flags, DemoDepthPredictTest,
                         testing::Values(std::vector<std::string>{"--size=182"},
                                         std::vector<std::string>{"--size=182", "--dtype=float16"},
                                         std::vector<std::string>{"--size=182", "--dtype=bfloat16"}));

class DemoDepthNukeTest : public testing::TestWithParam<at::ScalarType> {};

TEST_P(DemoDepthNukeTest, AnArtifactTellsTheDepth) {
  const std::string folder = EmptyFolder("nuke");
  const ToolResult result =
      RunWarmTool("export", {"--model=demo_depth", "--target=nuke", "--out=m.pt", "--noverify"}, folder);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  ASSERT_OK_AND_ASSIGN(torch::jit::Module module, LoadModule(folder + "/m.pt"));
  module.to(GetParam());
  Accuracy accuracy;
  for (const DrawnScene& scene : DrawnScenes()) {
    accuracy.Add(module.forward({HostImage(scene.picture).to(GetParam())}).toTensor(), scene.depth);
  }
  EXPECT_TRUE(accuracy.is_good()) << testing::PrintToString(accuracy);
}

INSTANTIATE_TEST_SUITE_P(Dtypes, DemoDepthNukeTest, testing::Values(at::kFloat, at::kHalf, at::kBFloat16),
                         [](const auto& info) { return std::string(at::toString(info.param)); });

struct Fault {
  std::string name;
  Mutation mutation;

  friend void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }
};

class DemoDepthFaultTest : public testing::TestWithParam<Fault> {};

// The bounds above are near enough to the model's accuracy to show these.
TEST_P(DemoDepthFaultTest, IsSeen) {
  const std::string models = MutatedModels(GetParam().mutation);
  EXPECT_FALSE(Predict({"--size=182", "--plugin_path=" + models}).is_good());
}

INSTANTIATE_TEST_SUITE_P(
    Faults, DemoDepthFaultTest,
    testing::Values(Fault{"FlippedSign",
                          {"depth_anything_v2/modules.yaml", "depth.squeeze(1) * self.max_depth",
                           "(1.0 - depth.squeeze(1)) * self.max_depth"}},
                    Fault{"SwappedChannels",
                          {"transforms/presets.yaml", "resize_image(x, size[0], size[1], \"opencv_cubic\", False)",
                           "resize_image(x.flip(1), size[0], size[1], \"opencv_cubic\", False)"}},
                    Fault{"MissingNormalisation",
                          {"depth_anything_v2/plugin.yaml", "mean: [0.485, 0.456, 0.406]\n  std: [0.229, 0.224, 0.225]",
                           "mean: [0.0, 0.0, 0.0]\n  std: [1.0, 1.0, 1.0]"}},
                    Fault{"WrongResize",
                          {"transforms/presets.yaml", "resize_image(x, size[0], size[1], \"opencv_cubic\", False)",
                           "resize_image(x, size[1], size[0], \"opencv_cubic\", False)"}}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace modelport
