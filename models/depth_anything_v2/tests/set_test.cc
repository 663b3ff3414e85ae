// An argument that --set gives another value: the artifact computes with it, states it, and is verified by it.
#include <ATen/TensorOperators.h>
#include <ATen/ops/linspace.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>

#include <cstdlib>
#include <string>

#include "artifact/export/export_model.h"
#include "artifact/verify/verify_artifact.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/archive/module_archive.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"

namespace modelport {
namespace {

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
    EXPECT_EQ(manifest->arguments_size(), settings.empty() ? 0 : 1);
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
