// What artifacts of Depth Anything V2 compute. Those that prepare images themselves give what upstream's infer_image
// gives, with OpenCV.
//   depth_anything_v2_test FOLDER...
// Each FOLDER, named MODEL_infer_image, has golden cases.
#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/linspace.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "artifact/export/export_model.h"
#include "artifact/verify/verify_artifact.h"
#include "common/checkpoint/seeded.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/archive/module_archive.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "nlohmann/json.hpp"
#include "registry/registry.h"
#include "tests/goldens/golden_case.h"
#include "tests/nuke/nuke_model.h"
#include "tests/support/exported_module.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using torch::jit::Module;

std::vector<std::string>* folders;

// The picture of a case, RGB in uint8 [1, 3, H, W].
at::Tensor RawImage(const nlohmann::json& input) {
  at::Tensor values = at::empty(input.at("shape").get<std::vector<int64_t>>(), at::kFloat);
  SeededFill(input.at("key").get<std::string>(), input.at("seed"), input.at("center"), input.at("spread"),
             absl::MakeSpan(values.mutable_data_ptr<float>(), values.numel()));
  const at::Tensor bgr = (values * 256).floor().to(at::kByte);
  return bgr.flip({2}).permute({2, 0, 1}).unsqueeze(0).contiguous();
}

at::Tensor Depth(Module module, const at::Tensor& image, int64_t input_size) {
  return module.forward({image, input_size}).toTensor().squeeze(0);
}

double LargestDifference(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

void Check(const Module& module, const Module& in_float64, const fs::path& json) {
  std::ifstream stream(json);
  const auto stated = nlohmann::json::parse(stream);
  ASSERT_OK_AND_ASSIGN(const auto golden, ReadTensors(fs::path(json).replace_extension("safetensors")));
  const at::Tensor image = RawImage(stated.at("input"));
  const int64_t input_size = stated.at("input_size");

  // The preparation is plain arithmetic in float64.
  Module preprocess = module.attr("preprocess").toModule();
  at::Tensor prepared = preprocess.forward({image, input_size}).toTensor();
  // The case may hold each so manieth element, which are of all channels, rows and columns.
  if (const int64_t every = stated.value("image_every", 1); every > 1) {
    EXPECT_EQ(prepared.sizes().vec(), stated.at("stages").at(0).at("shape").get<std::vector<int64_t>>());
    prepared = prepared.flatten().slice(0, 0, c10::nullopt, every);
  }
  EXPECT_TRUE(prepared.equal(golden.at("image")));

  const at::Tensor depth = Depth(module, image, input_size), expected = golden.at("depth");
  ASSERT_EQ(depth.sizes(), expected.sizes());
  // As in golden_check.h; the noise is that of this processor's kernels.
  const double noise = LargestDifference(depth, Depth(in_float64, image, input_size));
  const double range = (expected.max() - expected.min()).item<double>();
  const double difference = LargestDifference(depth, expected);
  EXPECT_LE(difference, std::max(4 * noise, 4e-6 * expected.abs().max().item<double>()));
  std::printf("%s: %.1e of the depth's range\n", json.stem().c_str(), difference / range);
}

TEST(InferImageTest, IsAsUpstreams) {
  const c10::InferenceMode inference;
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {}));
  for (const std::string& folder : *folders) {
    const std::string name = fs::path(folder).filename();
    const std::string model(absl::StripSuffix(name, "_infer_image"));
    const auto options = [](ExportOptions& options) { options.request.with_preprocess = true; };
    ASSERT_OK_AND_ASSIGN(const Module module, ExportSeeded(registry, model, /*seed=*/0, options));
    Module in_float64 = module.deepcopy();
    in_float64.to(at::kDouble);
    int cases = 0;
    for (const fs::directory_entry& file : fs::directory_iterator(folder)) {
      if (file.path().extension() != ".json") continue;
      SCOPED_TRACE(file.path());
      Check(module, in_float64, file.path());
      ++cases;
    }
    EXPECT_GT(cases, 0) << folder;
  }
}

// Artifacts of Depth Anything V2 for Nuke whose depth is 0 everywhere, which the model can return.

class FlatDepthTest : public testing::TestWithParam<at::ScalarType> {
 protected:
  void SetUp() override {
    for (const auto& parameter : model_.nuke.named_parameters()) {
      if (parameter.name.find("output_conv2.2") != std::string::npos) parameter.value.detach().zero_();
    }
    model_.nuke.to(GetParam());
  }

  at::Tensor Depth(int64_t convention, int64_t normalize) {
    return model_.Run(SeededImage(1, 3, 15, 20).to(GetParam()), {{"convention", convention}, {"normalize", normalize}});
  }

  NukeModel model_ = GetNukeModel("tiny_dav2");
};

INSTANTIATE_TEST_SUITE_P(Types, FlatDepthTest, testing::Values(at::kFloat, at::kHalf));

TEST_P(FlatDepthTest, HasNoNanAndNoInfinity) {
  EXPECT_TRUE((Depth(0, 0) == 0).all().item<bool>());
  EXPECT_TRUE((Depth(0, 1) == 0).all().item<bool>());
  EXPECT_TRUE((Depth(2, 1) == 1).all().item<bool>());
  const at::Tensor far = Depth(2, 0).to(at::kDouble);
  EXPECT_TRUE(at::allclose(far, at::full_like(far, 1e4), /*rtol=*/1e-3));
}

TEST(MetricScaleTest, IsAFactorOfMetresAlone) {
  NukeModel metric = GetNukeModel("tiny_dav2_metric");
  const at::Tensor image = SeededImage(1, 3, 15, 20), metres = metric.Run(image);
  EXPECT_TRUE(at::allclose(metric.Run(image, {{"scale", 100.0}}), metres * 100, /*rtol=*/1e-6));
  EXPECT_TRUE(metric.Run(image, {{"scale", 1.0}}).equal(metres));
  for (const auto& [unit, of_metre] : {std::pair<int64_t, double>{1, 100}, {2, 1 / 0.0254}, {3, 1 / 0.3048}}) {
    EXPECT_TRUE(at::allclose(metric.Run(image, {{"unit", unit}}), metres * of_metre, /*rtol=*/1e-6)) << unit;
  }
  EXPECT_FALSE(GetNukeModel("tiny_dav2").nuke.hasattr("scale"));
}

// An argument that --set gives another value: the artifact computes with it, states it, and is verified by it.

class SetTest : public testing::Test {
 protected:
  // The depth of one image, by an artifact with these settings, which is verified.
  at::Tensor Depth(const std::string& settings) {
    ExportOptions options;
    options.request.entry = registry_.Find("tiny_dav2_metric").value();
    const absl::Status set = settings.empty() ? absl::OkStatus() : SetArguments(settings, options.request);
    EXPECT_OK(set);
    options.out = std::string(std::getenv("TEST_TMPDIR")) + "/m.pt";
    const absl::StatusOr<Manifest> manifest = ExportModel(registry_, options);
    EXPECT_OK(manifest);
    EXPECT_EQ(manifest->request().arguments_size(), settings.empty() ? 0 : 1);
    EXPECT_OK(VerifyArtifact(registry_, options.out, /*checkpoints=*/{}));
    const c10::InferenceMode inference;
    torch::jit::Module module = LoadModule(options.out).value();
    return module.forward({at::linspace(-1, 1, 3 * 28 * 28).reshape({1, 3, 28, 28})}).toTensor().clone();
  }

  const Registry registry_ = Registry::Load(BuiltInPlugins(), {"models"}).value();
};

// The model multiplies its last value by the largest depth, here by a power of two.
TEST_F(SetTest, TheLargestDepthIsTheScale) { EXPECT_TRUE(Depth("max_depth=80").equal(4 * Depth(""))); }

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  std::vector<std::string> arguments(argv + 1, argv + argc);
  modelport::folders = &arguments;
  return RUN_ALL_TESTS();
}
