// Every variant of the catalog and of the test plugins compiles, without weights, and has the methods that its examples
// call.
#include <ATen/Functions.h>

#include <string>
#include <vector>

#include "common/artifact/example.h"
#include "common/module_tree/module_tree.h"
#include "common/script/build_module.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "registry/registry.h"

namespace modelport {
namespace {

TEST(CatalogTest, EveryVariantCompiles) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load("models"));
  ASSERT_FALSE(registry.catalog().empty());
  for (const CatalogEntry& entry : registry.catalog()) {
    SCOPED_TRACE(entry.variant->name);
    ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, entry.variant->module));
    const std::vector<at::Tensor> no_weights(tree.slots.size(), at::zeros({0}));
    ASSERT_OK_AND_ASSIGN(const torch::jit::Module module, BuildModule(tree, no_weights));
    for (const Call& example : entry.plugin->examples) EXPECT_OK(ExampleInputs(module, example));
  }
}

TEST(CatalogTest, HasEveryPublishedNameAndNoTestVariant) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(""));
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
