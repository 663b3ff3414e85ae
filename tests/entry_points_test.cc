// The entry points that the plugins state, in calls that the examples of an export do not make.
#include <ATen/Functions.h>
#include <c10/core/InferenceMode.h>

#include <memory>
#include <string>
#include <vector>

#include "common/module_tree/entry_point.h"
#include "common/module_tree/module_tree.h"
#include "common/proof/check_result.h"
#include "common/script/torch_status.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "models/embedded_plugins.h"
#include "registry/registry.h"
#include "registry/target_tree.h"
#include "targets/targets.h"
#include "tests/exported_module.h"
#include "tests/test_models.h"

namespace modelport {
namespace {

using Inputs = std::vector<c10::IValue>;

class EntryPointsTest : public testing::Test {
 protected:
  void SetUp() override {
    auto registry = Registry::Load(EmbeddedPlugins(), {"models"});
    ASSERT_OK(registry);
    registry_ = std::make_unique<Registry>(*std::move(registry));
  }

  // Exports `model`, with weights of `dtype`.
  void Export(const std::string& model, bool with_preprocess, DType dtype = DType::kFloat32) {
    const absl::StatusOr<CatalogEntry> entry = registry_->Find(model);
    ASSERT_OK(entry);
    const auto tree = BuildTargetTree(*entry->plugin, *entry->variant, **FindTarget("libtorch"), with_preprocess);
    ASSERT_OK(tree);
    entry_points_ = tree->whole->entry_points;
    auto module = ExportSeeded(*registry_, model, /*seed=*/0, [&](ExportOptions& options) {
      options.dtype = dtype;
      options.with_preprocess = with_preprocess;
    });
    ASSERT_OK(module);
    module_ = *module;
  }

  // Calls `method` and compares the result with what the plugin states.
  absl::Status Call(const std::string& method, const Inputs& inputs) {
    const c10::InferenceMode inference;
    const EntryPoint* const entry_point = FindEntryPoint(entry_points_, method);
    if (entry_point == nullptr) return absl::NotFoundError(method);
    const auto result = CatchTorch([&] { return module_.get_method(method)(inputs); });
    if (!result.ok()) return result.status();
    return CheckResult(module_, *entry_point, method, inputs, *result);
  }

  std::unique_ptr<Registry> registry_;
  torch::jit::Module module_;
  std::vector<EntryPoint> entry_points_;
};

at::Tensor Image(const std::vector<int64_t>& shape, at::ScalarType dtype = at::kFloat) {
  at::Tensor image = at::linspace(-1, 1, 3 * shape[shape.size() - 2] * shape.back());
  return image.reshape({3, shape[shape.size() - 2], shape.back()}).expand(shape).contiguous().to(dtype);
}

TEST_F(EntryPointsTest, EveryRootStatesThem) {
  for (const std::string& model : TestModels()) {
    const absl::StatusOr<CatalogEntry> entry = registry_->Find(model);
    ASSERT_OK(entry);
    for (const char* target : {"libtorch", "nuke"}) {
      for (const std::string& wrapper : WrapperNames(*entry, **FindTarget(target))) {
        const auto tree = BuildTargetTree(*entry->plugin, *entry->variant, **FindTarget(target), false, wrapper);
        ASSERT_OK(tree);
        EXPECT_NE(FindEntryPoint(tree->whole->entry_points, "forward"), nullptr) << model << " for " << target;
      }
    }
  }
}

TEST_F(EntryPointsTest, Dinov2) {
  Export("tiny_dinov2_reg", /*with_preprocess=*/false);
  const at::Tensor x = Image({2, 3, 28, 42});
  EXPECT_OK(Call("forward", {x}));
  EXPECT_OK(Call("forward_features", {x}));
  EXPECT_OK(Call("forward_features", {x, at::zeros({2, 6}, at::kBool)}));
  EXPECT_OK(Call("image_features", {x}));
  for (const bool reshape : {false, true}) {
    for (const bool token : {false, true}) {
      EXPECT_OK(Call("get_intermediate_layers", {x, c10::List<int64_t>({3, 1}), reshape, token, true}));
    }
  }
}

TEST_F(EntryPointsTest, ResNet) {
  for (const char* model : {"tiny_resnet", "tiny_resnet_bottleneck"}) {
    Export(model, /*with_preprocess=*/false);
    for (const std::vector<int64_t>& shape : {std::vector<int64_t>{1, 3, 64, 96}, {2, 3, 33, 95}, {1, 3, 1, 65}}) {
      for (const char* method : {"forward", "image_features", "feature_levels", "pooled_features", "image_classes"}) {
        EXPECT_OK(Call(method, {Image(shape)})) << model << " " << method;
      }
    }
  }
}

TEST_F(EntryPointsTest, Dinov2Heads) {
  Export("tiny_ld4", /*with_preprocess=*/false);
  EXPECT_OK(Call("image_depth", {Image({2, 3, 30, 41})}));
  Export("tiny_dinov2_lc1", /*with_preprocess=*/true);
  EXPECT_OK(Call("forward", {Image({2, 3, 30, 41}).abs()}));
  EXPECT_OK(Call("labels", {}));
}

TEST_F(EntryPointsTest, DepthAnything3) {
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
