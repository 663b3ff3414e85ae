// What the catalog holds; its models are tested by tests/families/variants_test.cc.
#include <map>
#include <string>
#include <vector>

#include "artifact/build/build_artifact.h"
#include "artifact/format/built_module.h"
#include "artifact/request/artifact_request.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/runtime/operators.h"
#include "common/torchscript/runtime/runtime.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "tests/support/case_table.h"
#include "tests/support/examples.h"
#include "tests/support/exported_module.h"
#include "tests/support/test_models.h"

namespace modelport {
namespace {

using testing::ElementsAre;

// Text that is compiled for a new runtime uses operators that only new runtimes have.
TEST(CatalogTest, TextOfANewRuntimeIsNotForOldOnes) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
  ASSERT_OK_AND_ASSIGN(const CatalogEntry entry, registry.Find(ExampleModel("features of gated blocks")));
  ASSERT_OK_AND_ASSIGN(const Artifact artifact, BuildWithoutWeights({.entry = entry}));
  std::vector<std::string> missing;
  for (const RuntimeObstacle& obstacle : FindObstacles(Runtimes()[0], ArchiveFormat(), artifact.built->operators)) {
    missing.push_back(obstacle.call);
  }
  EXPECT_THAT(missing, ElementsAre("aten::_upsample_bicubic2d_aa(Tensor, List[int], bool)",
                                   "aten::scaled_dot_product_attention(Tensor, Tensor, Tensor)", "aten::silu(Tensor)"));
}

TEST(CatalogTest, HasEveryPublishedNameAndNoTestModel) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {}));
  std::map<std::string, std::vector<std::string>> models, published;
  for (const CatalogEntry& entry : registry.catalog()) models[entry.plugin->family].push_back(entry.variant->name);
  for (const Case& fields : ReadFamilyTables("catalog.txt")) published[Text(fields, "family")] = Texts(fields, "model");
  EXPECT_EQ(models, published) << "if a family or a model is new, add it to its testdata/catalog.txt";
  for (const std::string& model : TestModels()) EXPECT_FALSE(registry.Find(model).ok()) << model;
}

}  // namespace
}  // namespace modelport
