// Every variant of the catalog and of the test plugins compiles for every target, without weights, and has the methods
// that the examples call.
#include <ATen/Functions.h>

#include <string>
#include <vector>

#include "common/artifact/example.h"
#include "common/artifact/target.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_matchers.h"
#include "common/weights/bind_tensors.h"
#include "gtest/gtest.h"
#include "pipeline/target_module.h"
#include "registry/registry.h"
#include "registry/target_tree.h"

namespace modelport {
namespace {

TEST(CatalogTest, EveryVariantCompilesForEveryTarget) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load("models"));
  ASSERT_FALSE(registry.catalog().empty());
  for (const CatalogEntry& entry : registry.catalog()) {
    for (const Target& target : Targets()) {
      SCOPED_TRACE(entry.variant->name + " for " + target.name);
      ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildTargetTree(*entry.plugin, *entry.variant, target));
      const BoundTensors no_weights{std::vector<at::Tensor>(tree.slots.size(), at::zeros({0})), {}, {}};
      ASSERT_OK_AND_ASSIGN(const torch::jit::Module module, BuildTargetModule(tree, no_weights, target));
      for (const Call& example : TargetExamples(entry, target)) EXPECT_OK(ExampleInputs(module, example));
    }
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
