// Every variant of the catalog and of the test plugins compiles for every target, without weights, and has the methods
// that the examples call. Every kind of model can be made for every runtime.
#include <ATen/ops/zeros.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "artifact/build/build_artifact.h"
#include "artifact/format/built_module.h"
#include "artifact/request/artifact_request.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/proof/compare_outputs.h"
#include "common/torchscript/runtime/operators.h"
#include "common/torchscript/runtime/runtime.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "registry/wrappers.h"
#include "targets/targets.h"
#include "tests/support/case_table.h"
#include "tests/support/examples.h"
#include "tests/support/test_models.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// What `request` asks for, with empty tensors.
absl::StatusOr<Artifact> Build(const ArtifactRequest& request) {
  ASSIGN_OR_RETURN(TargetTree tree, BuildTargetTree(request));
  const std::vector<at::Tensor> no_weights(tree.whole->slots.size(), at::zeros({0}));
  return BuildArtifact(request, {std::move(tree), {.bound = {{no_weights, {}}}}});
}

TEST(CatalogTest, EveryVariantCompilesForEveryTarget) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
  ASSERT_FALSE(registry.catalog().empty());
  for (const CatalogEntry& entry : registry.catalog()) {
    for (const Target* target : Targets()) {
      const std::vector<std::string> wrappers = WrapperNames(entry, *target);
      if (wrappers.empty()) {
        EXPECT_THAT(Build({.entry = entry, .target = target}),
                    StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("does not support this target")));
      }
      for (const std::string& wrapper : wrappers) {
        SCOPED_TRACE(absl::StrCat(entry.variant->name, " for ", target->name, " ", wrapper));
        ASSERT_OK_AND_ASSIGN(const Artifact artifact, Build({.entry = entry, .target = target, .wrapper = wrapper}));
        for (const Call& example : artifact.examples) EXPECT_OK(ExampleInputs(*artifact.built->module, example));
      }
    }
  }
}

TEST(CatalogTest, EveryVariantCompilesForImages) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
  for (const CatalogEntry& entry : registry.catalog()) {
    SCOPED_TRACE(entry.variant->name);
    if (WrappersOf(*entry.plugin, *entry.variant, "").empty()) {
      EXPECT_THAT(Build({.entry = entry, .with_preprocess = true}),
                  StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("does not support it")));
      continue;
    }
    ASSERT_OK_AND_ASSIGN(const Artifact artifact, Build({.entry = entry, .with_preprocess = true}));
    EXPECT_FALSE(artifact.examples.empty());
    for (const Call& example : artifact.examples) EXPECT_OK(ExampleInputs(*artifact.built->module, example));
  }
}

// Obstacles to a runtime are in the TorchScript text, so one variant of each kind is enough.
class EveryKindTest : public testing::TestWithParam<Runtime> {};

TEST_P(EveryKindTest, RunsInTheRuntime) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
  for (const std::string& name : TestModels()) {
    ASSERT_OK_AND_ASSIGN(const CatalogEntry entry, registry.Find(name));
    for (const Target* target : Targets()) {
      if (target->format != FormatKind::kTorchScript) continue;
      for (const std::string& wrapper : WrapperNames(entry, *target)) {
        SCOPED_TRACE(absl::StrCat(name, " for ", target->name, " ", wrapper));
        ASSERT_OK_AND_ASSIGN(const Artifact artifact,
                             Build({.entry = entry, .target = target, .wrapper = wrapper, .runtime = &GetParam()}));
        EXPECT_OK(CheckRuntime(GetParam(), FormatFor(GetParam()), artifact.built->operators));
      }
    }
    if (WrappersOf(*entry.plugin, *entry.variant, "").empty()) continue;
    ASSERT_OK_AND_ASSIGN(const Artifact of_images,
                         Build({.entry = entry, .runtime = &GetParam(), .with_preprocess = true}));
    EXPECT_OK(CheckRuntime(GetParam(), FormatFor(GetParam()), of_images.built->operators)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Runtimes, EveryKindTest, testing::ValuesIn(Runtimes()));

// Text that is compiled for a new runtime uses operators that only new runtimes have.
TEST(CatalogTest, TextOfANewRuntimeIsNotForOldOnes) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
  ASSERT_OK_AND_ASSIGN(const CatalogEntry entry, registry.Find(ExampleModel("features of gated blocks")));
  ASSERT_OK_AND_ASSIGN(const Artifact artifact, Build({.entry = entry}));
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
