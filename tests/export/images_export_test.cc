// The flag --with_preprocess of export, and what artifacts of the model families do with images.
#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/upsample_bilinear2d.h>
#include <ATen/ops/zeros.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/status/status_matchers.h"
#include "common/torchscript/script/torch_status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "tests/layers/transform_module.h"
#include "tests/support/examples.h"
#include "tests/support/exported_module.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using torch::jit::Module;

ToolResult Export(const std::string& folder, const std::string& model, const std::vector<std::string>& flags = {},
                  const std::string& plugins = DataPath("models")) {
  std::vector<std::string> all = {"--model=" + model, "--weights=seeded", "--with_preprocess",
                                  "--plugin_path=" + plugins};
  all.insert(all.end(), flags.begin(), flags.end());
  return RunTool("export", all, folder);
}

TEST(ImagesExportTest, TheManifestStatesWhatIsInside) {
  const std::string folder = EmptyFolder("images");
  const ToolResult result = Export(folder, ExampleModel("depth in metres"));
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const auto manifest =
      nlohmann::json::parse(ReadFile(folder + "/" + ExampleModel("depth in metres") + ".manifest.json"));
  EXPECT_EQ(manifest["request"]["target"], "libtorch");
  EXPECT_THAT(manifest["methods"], ElementsAre("forward(Tensor x, int input_size=518) -> Tensor"));
  EXPECT_EQ(manifest["preprocessing"]["inside"], true);
  EXPECT_EQ(manifest["preprocessing"]["channels"], 3);
  EXPECT_EQ(manifest["preprocessing"]["module"],
            "InferImage(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225], multiple_of=14, side=518)");
  EXPECT_EQ(manifest["interface"]["kind"], "depth");
  ASSERT_THAT(manifest["entry_points"], testing::SizeIs(1));
  const auto& image = manifest["entry_points"][0]["inputs"][0];
  EXPECT_EQ(image["layout"], "NCHW");
  EXPECT_EQ(image["dtype"], "uint8 or floating");
  EXPECT_EQ(image["max"], 1);
  EXPECT_EQ(image["multiple_of"], 1);
  EXPECT_EQ(image["resize"], "shorter_side");
  EXPECT_EQ(image["recommended_size"], 518);
  const auto& depth = manifest["entry_points"][0]["outputs"][0];
  EXPECT_THAT(depth["shape"], ElementsAre("B", "H", "W"));
  EXPECT_EQ(depth["unit"], "metres");
  EXPECT_EQ(depth["larger_is"], "farther");
  EXPECT_EQ(depth["max"], 20);
  EXPECT_THAT(manifest["round_trip"]["outputs"], testing::SizeIs(3));
}

TEST(ImagesExportTest, VerifyMakesItAnew) {
  const std::string folder = EmptyFolder("verify");
  ASSERT_EQ(Export(folder, ExampleModel("one view"), {"--runtime=1.6", "--dtype=float16"}).exit_status, 0);
  const ToolResult verified = RunTool(
      "verify", {"--artifact=" + ExampleModel("one view") + ".pt", "--plugin_path=" + DataPath("models")}, folder);
  EXPECT_EQ(verified.exit_status, 0) << verified.err;
  EXPECT_THAT(verified.out, HasSubstr("inference([2, 2, 3, 90, 61], 42)"));
  const auto manifest = nlohmann::json::parse(ReadFile(folder + "/" + ExampleModel("one view") + ".manifest.json"));
  const auto& depth = manifest["entry_points"][0]["outputs"][0];
  EXPECT_EQ(depth["unit"], "");
  EXPECT_EQ(depth["dtype"], "float16");
}

TEST(ImagesExportTest, AHostPreparesItsImagesItself) {
  const std::string folder = EmptyFolder("nuke");
  const ToolResult result = Export(folder, DepthModel(), {"--target=nuke"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, StartsWith("INVALID_ARGUMENT: --with_preprocess: artifacts for --target=nuke prepare the "
                                     "host's images themselves; leave out one of the two\n"));
  EXPECT_THAT(FileNames(folder), IsEmpty());
}

// A plugin with a convolution, this preprocessing and these module types.
std::string PluginOf(const std::string& preprocessing, const std::string& modules) {
  const std::string plugins = EmptyFolder("plugin");
  std::ofstream(plugins + "/plugin.yaml") << R"yaml(family: own
summary: a model of its own
upstream: {source: x, commit: y, licence: MIT}
uses: [transforms]
preprocessing: )yaml" << preprocessing << R"yaml(
examples: ["forward([1, 4, 32, 48])"]
variants:
  own: {summary: s, module: Net(), file: own.pth, url: u, licence: MIT}
)yaml";
  std::ofstream(plugins + "/modules.yaml") << R"yaml(modules:
  Net():
    parameters: {weight: [2, 4, 1, 1]}
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return torch.conv2d(x, self.weight)
)yaml" << modules;
  std::ofstream(plugins + "/keymap.yaml") << "layouts: {original: {recognise: [weight]}}\n";
  return plugins;
}

TEST(ImagesExportTest, ARootWithoutAWrapperIsAnErrorThatNamesThePlugin) {
  const std::string plugins = PluginOf("{channels: 4}", ""), folder = EmptyFolder("none");
  const ToolResult result = Export(folder, "own", {}, plugins);
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, StartsWith("INVALID_ARGUMENT: --with_preprocess: own does not support it: " + plugins +
                                     "/plugin.yaml names no wrapper for Net under preprocessing: wrappers\n"));
  EXPECT_THAT(FileNames(folder), IsEmpty());
}

// Four channels, a fixed size and no normalisation.
TEST(ImagesExportTest, APluginStatesWhatItsModelExpects) {
  const std::string plugins =
      PluginOf("{channels: 4, size: [32, 48], wrappers: {Net: \"Images(mean, std, size)\"}}", R"yaml(
  Images(mean, std, size):
    interface: {kind: features, examples: ["forward([2, 4, 7, 9])"]}
    children: {preprocess: "FixedSizeImage(mean, std, size)"}
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return self.model(self.preprocess(x))
)yaml");
  const std::string folder = EmptyFolder("own");
  const ToolResult result = Export(folder, "own", {}, plugins);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const auto manifest = nlohmann::json::parse(ReadFile(folder + "/own.manifest.json"));
  EXPECT_EQ(manifest["preprocessing"]["channels"], 4);
  EXPECT_THAT(manifest["preprocessing"]["size"], ElementsAre(32, 48));
  EXPECT_THAT(manifest["preprocessing"]["mean"], IsEmpty());
  EXPECT_EQ(manifest["preprocessing"]["module"],
            "Images(mean=[0.0, 0.0, 0.0, 0.0], std=[1.0, 1.0, 1.0, 1.0], size=[32, 48])");
  EXPECT_THAT(manifest["round_trip"]["outputs"][0]["shape"], ElementsAre(2, 2, 32, 48));
}

// The artifact of a test model that prepares images itself.
Module Load(const std::string& model, DType dtype = DType::kFloat32) {
  // To optimise a graph takes longer than to run it a few times.
  torch::jit::setGraphExecutorOptimize(false);
  static const auto* const registry = new absl::StatusOr<Registry>(Registry::Load(BuiltInPlugins(), {"models"}));
  EXPECT_OK(*registry);
  absl::StatusOr<Module> module = ExportSeeded(**registry, model, /*seed=*/0, [&](ExportOptions& options) {
    options.request.with_preprocess = true;
    options.request.dtype = dtype;
  });
  EXPECT_OK(module);
  return *std::move(module);
}

double LargestDifference(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

// The same picture in uint8 and in 0..1.
TEST(ImageTest, OfEitherKindGivesTheSameDepth) {
  const c10::InferenceMode inference;
  Module module = Load(DepthModel());
  const at::Tensor bytes = SeededImage({2, 3, 41, 30}, at::kByte);
  const at::Tensor from_bytes = module.forward({bytes, 56}).toTensor();
  EXPECT_THAT(from_bytes.sizes(), ElementsAre(2, 41, 30));
  const at::Tensor from_floats = module.forward({bytes.to(at::kDouble) / 255, 56}).toTensor();
  EXPECT_EQ(LargestDifference(from_bytes, from_floats), 0);
}

// Artifacts of every dtype take images of every dtype.
TEST(ImageTest, OfAnyDtypeIsTakenByAnArtifactOfAnyDtype) {
  const c10::InferenceMode inference;
  for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
    for (const std::string& model :
         {DepthModel(), ExampleModel("depth in metres"), ExampleModel("features with registers")}) {
      Module module = Load(model, dtype);
      for (const at::ScalarType image : {at::kByte, at::kHalf, at::kFloat, at::kDouble}) {
        std::vector<c10::IValue> arguments;
        arguments.push_back(SeededImage({1, 3, 40, 61}, image));
        if (module.get_method("forward").function().getSchema().arguments().size() > 2) arguments.push_back(56);
        const at::Tensor output = module.forward(arguments).toTensor();
        EXPECT_TRUE(output.isfinite().all().item<bool>()) << model;
      }
    }
  }
}

// One pixel, and the fewest of a line.
TEST(ImageTest, OfFewPixelsIsTaken) {
  const c10::InferenceMode inference;
  Module depth = Load(DepthModel()), features = Load(ExampleModel("features")), views = Load(ExampleModel("views"));
  for (const auto& size : {std::vector<int64_t>{1, 1}, {1, 32}, {32, 1}}) {
    const at::Tensor image = SeededImage({1, 3, size[0], size[1]}, at::kByte);
    EXPECT_THAT(depth.forward({image, 14}).toTensor().sizes(), ElementsAre(1, size[0], size[1]));
    EXPECT_EQ(features.forward({image}).toTensor().size(0), 1);
    const auto output = views.forward({image.unsqueeze(0), 28}).toGenericDict();
    EXPECT_THAT(output.at("depth").toTensor().sizes(), ElementsAre(1, 1, size[0], size[1]));
  }
}

TEST(ImageTest, ThatCannotBeTakenIsRefusedInASentence) {
  Module depth = Load(DepthModel()), views = Load(ExampleModel("views"));
  const auto refusal = [](Module& module, const at::Tensor& image) {
    return std::string(CatchTorch([&] { return module.forward({image, 28}); }).status().message());
  };
  EXPECT_THAT(refusal(depth, at::zeros({3, 28, 28})), HasSubstr("the input must be [batch, 3, height, width]"));
  EXPECT_THAT(refusal(depth, at::zeros({1, 1, 28, 28})), HasSubstr("the image must have 3 channels"));
  EXPECT_THAT(refusal(depth, at::zeros({1, 3, 0, 0})), HasSubstr("with at least one pixel"));
  EXPECT_THAT(refusal(depth, at::zeros({1, 3, 1, 33})), HasSubstr("more than 32 times as long as it is wide"));
  EXPECT_THAT(refusal(depth, at::zeros({1, 3, 28, 28}, at::kLong)), HasSubstr("must be uint8, 0 to 255, or floating"));
  EXPECT_THAT(refusal(views, at::zeros({1, 3, 28, 28})),
              HasSubstr("the input must be [batch, views, 3, height, width]"));
}

// What forward gives of two views is what inference gives, at the size of the views and in their pixels.
TEST(ViewsTest, HaveDepthAndIntrinsicsAtTheirOwnSize) {
  const c10::InferenceMode inference;
  for (const std::string& model : {ExampleModel("views"), ExampleModel("views in metres")}) {
    Module module = Load(model);
    const at::Tensor views = SeededImage({1, 2, 3, 60, 90}, at::kByte);
    const auto resized = module.forward({views, 42}).toGenericDict();
    const auto processed = module.get_method("inference")({views, 42}).toGenericDict();
    const at::Tensor depth = processed.at("depth").toTensor();
    EXPECT_THAT(depth.sizes(), ElementsAre(1, 2, 28, 42));
    EXPECT_TRUE(resized.at("depth").toTensor().equal(at::upsample_bilinear2d(depth, {60, 90}, false)));
    EXPECT_THAT(resized.at("depth_conf").toTensor().sizes(), ElementsAre(1, 2, 60, 90));
    const at::Tensor scale = at::tensor({90.0 / 42, 60.0 / 28, 1.0}, at::kFloat).unsqueeze(1);
    EXPECT_TRUE(resized.at("intrinsics").toTensor().equal(processed.at("intrinsics").toTensor() * scale));
    EXPECT_TRUE(resized.at("extrinsics").toTensor().equal(processed.at("extrinsics").toTensor()));
  }
}

TEST(FeaturesTest, AreOfTheWholeImage) {
  const c10::InferenceMode inference;
  Module module = Load(ExampleModel("features"));
  const at::Tensor image = SeededImage({1, 3, 60, 90}, at::kByte);
  const at::Tensor features = module.get_method("image_features")({image, 56}).toTensor();
  EXPECT_THAT(features.sizes(), ElementsAre(1, 24, 4, 6));
  Module preprocess = module.attr("preprocess_whole").toModule(), model = module.attr("model").toModule();
  const at::Tensor prepared = preprocess.forward({image, 56}).toTensor();
  EXPECT_THAT(prepared.sizes(), ElementsAre(1, 3, 56, 84));
  EXPECT_TRUE(features.equal(model.get_method("image_features")({prepared}).toTensor()));
}

}  // namespace
}  // namespace modelport
