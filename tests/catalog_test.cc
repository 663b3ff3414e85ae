// Every variant of the catalog and of the test plugins compiles for every target, without weights, and has the methods
// that the examples call. Every kind of model can be made for every runtime.
#include <ATen/Functions.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/module_tree/module_tree.h"
#include "common/proof/example.h"
#include "common/runtime/archive_format.h"
#include "common/runtime/operators.h"
#include "common/runtime/runtime.h"
#include "common/runtime/runtime_obstacles.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/embedded_plugins.h"
#include "pipeline/target_module.h"
#include "registry/registry.h"
#include "registry/target_tree.h"
#include "targets/targets.h"
#include "tests/test_models.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The module of `entry` for `target` and `runtime`, whose tensors are empty.
absl::StatusOr<torch::jit::Module> Build(const CatalogEntry& entry, const Target& target, const Runtime* runtime,
                                         bool with_preprocess = false, const std::string& wrapper = "") {
  ASSIGN_OR_RETURN(const TargetTree tree,
                   BuildTargetTree(*entry.plugin, *entry.variant, target, with_preprocess, wrapper));
  const std::vector<at::Tensor> no_weights(tree.whole->slots.size(), at::zeros({0}));
  return BuildTargetModule(*tree.whole, no_weights, target, runtime);
}

TEST(CatalogTest, EveryVariantCompilesForEveryTarget) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(EmbeddedPlugins(), {"models"}));
  ASSERT_FALSE(registry.catalog().empty());
  for (const CatalogEntry& entry : registry.catalog()) {
    for (const Target* target : Targets()) {
      const std::vector<std::string> wrappers = WrapperNames(entry, *target);
      if (wrappers.empty()) {
        EXPECT_THAT(Build(entry, *target, nullptr),
                    StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("does not support this target")));
      }
      for (const std::string& wrapper : wrappers) {
        SCOPED_TRACE(absl::StrCat(entry.variant->name, " for ", target->name, " ", wrapper));
        ASSERT_OK_AND_ASSIGN(const torch::jit::Module module, Build(entry, *target, nullptr, false, wrapper));
        ASSERT_OK_AND_ASSIGN(const TargetTree tree,
                             BuildTargetTree(*entry.plugin, *entry.variant, *target, false, wrapper));
        for (const Call& example : TargetExamples(entry, tree)) EXPECT_OK(ExampleInputs(module, example));
      }
    }
  }
}

TEST(CatalogTest, EveryVariantCompilesForImages) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(EmbeddedPlugins(), {"models"}));
  ASSERT_OK_AND_ASSIGN(const Target* target, FindTarget("libtorch"));
  for (const CatalogEntry& entry : registry.catalog()) {
    SCOPED_TRACE(entry.variant->name);
    ASSERT_OK_AND_ASSIGN(const torch::jit::Module module, Build(entry, *target, nullptr, /*with_preprocess=*/true));
    ASSERT_OK_AND_ASSIGN(const TargetTree tree,
                         BuildTargetTree(*entry.plugin, *entry.variant, *target, /*with_preprocess=*/true));
    EXPECT_FALSE(TargetExamples(entry, tree).empty());
    for (const Call& example : TargetExamples(entry, tree)) EXPECT_OK(ExampleInputs(module, example));
  }
}

// Obstacles to a runtime are in the TorchScript text, so one variant of each kind is enough.
class EveryKindTest : public testing::TestWithParam<Runtime> {};

TEST_P(EveryKindTest, RunsInTheRuntime) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(EmbeddedPlugins(), {"models"}));
  for (const std::string& name : TestModels()) {
    ASSERT_OK_AND_ASSIGN(const CatalogEntry entry, registry.Find(name));
    for (const Target* target : Targets()) {
      for (const std::string& wrapper : WrapperNames(entry, *target)) {
        SCOPED_TRACE(absl::StrCat(name, " for ", target->name, " ", wrapper));
        ASSERT_OK_AND_ASSIGN(const torch::jit::Module module, Build(entry, *target, &GetParam(), false, wrapper));
        EXPECT_OK(CheckRuntime(GetParam(), FormatFor(GetParam()), CollectOperators(module)));
      }
    }
    ASSERT_OK_AND_ASSIGN(const torch::jit::Module of_images,
                         Build(entry, **FindTarget("libtorch"), &GetParam(), /*with_preprocess=*/true));
    EXPECT_OK(CheckRuntime(GetParam(), FormatFor(GetParam()), CollectOperators(of_images))) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Runtimes, EveryKindTest, testing::ValuesIn(Runtimes()));

// Text that is compiled for a new runtime uses operators that only new runtimes have.
TEST(CatalogTest, TextOfANewRuntimeIsNotForOldOnes) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(EmbeddedPlugins(), {"models"}));
  ASSERT_OK_AND_ASSIGN(const CatalogEntry entry, registry.Find("tiny_dinov2_swiglu_reg"));
  ASSERT_OK_AND_ASSIGN(const Target* target, FindTarget("libtorch"));
  ASSERT_OK_AND_ASSIGN(const torch::jit::Module module, Build(entry, *target, nullptr));
  std::vector<std::string> missing;
  for (const RuntimeObstacle& obstacle : FindObstacles(Runtimes()[0], ArchiveFormat(), CollectOperators(module))) {
    missing.push_back(obstacle.call);
  }
  EXPECT_THAT(missing, ElementsAre("aten::_upsample_bicubic2d_aa(Tensor, List[int], bool)",
                                   "aten::scaled_dot_product_attention(Tensor, Tensor, Tensor)", "aten::silu(Tensor)"));
}

// Four sizes, with and without registers, on one layer and on four.
TEST(CatalogTest, HasEveryLinearClassifier) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(EmbeddedPlugins(), {}));
  int count = 0;
  for (const char* size : {"s", "b", "l", "g"}) {
    for (const char* registers : {"", "_reg"}) {
      for (const char* layers : {"1", "4"}) {
        const std::string name = absl::StrCat("dinov2_vit", size, "14", registers, "_lc", layers);
        ASSERT_OK_AND_ASSIGN(const CatalogEntry entry, registry.Find(name));
        EXPECT_EQ(entry.plugin->family, "dinov2_classifiers");
        ++count;
      }
    }
  }
  EXPECT_EQ(registry.Find("dinov2_vits14_lc1")->plugin->variants.size(), count);
}

// Four sizes, three heads, two datasets.
TEST(CatalogTest, HasEveryDepther) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(EmbeddedPlugins(), {}));
  int count = 0;
  for (const char* size : {"s", "b", "l", "g"}) {
    for (const char* head : {"ld1", "ld4", "dd"}) {
      for (const char* data : {"nyu", "kitti"}) {
        const std::string name = absl::StrCat("dinov2_vit", size, "14_", head, "_", data);
        ASSERT_OK_AND_ASSIGN(const CatalogEntry entry, registry.Find(name));
        EXPECT_EQ(entry.plugin->family, "dinov2_depthers");
        ++count;
      }
    }
  }
  EXPECT_EQ(registry.Find("dinov2_vits14_dd_nyu")->plugin->variants.size(), count);
}

TEST(CatalogTest, HasEveryPublishedNameAndNoTestVariant) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(EmbeddedPlugins(), {}));
  for (const char* name : {"dinov2_vits14",
                           "dinov2_vitb14",
                           "dinov2_vitl14",
                           "dinov2_vitg14",
                           "dinov2_vits14_reg",
                           "dinov2_vitb14_reg",
                           "dinov2_vitl14_reg",
                           "dinov2_vitg14_reg",
                           "dav2_vits",
                           "dav2_vitb",
                           "dav2_vitl",
                           "dav2_vitg",
                           "dav2_metric_hypersim_vits",
                           "dav2_metric_hypersim_vitb",
                           "dav2_metric_hypersim_vitl",
                           "dav2_metric_vkitti_vits",
                           "dav2_metric_vkitti_vitb",
                           "dav2_metric_vkitti_vitl",
                           "da3_small",
                           "da3_base",
                           "da3_large",
                           "da3_giant",
                           "da3mono_large",
                           "da3metric_large",
                           "da3nested_giant_large"}) {
    EXPECT_OK(registry.Find(name));
  }
  EXPECT_FALSE(registry.Find("tiny_dinov2").ok());
}

}  // namespace
}  // namespace modelport
