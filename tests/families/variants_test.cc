// Every variant of a family, and of its test plugin, compiles for every target, without weights, and has the methods
// that the examples call. Every kind of model can be made for every runtime.
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
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
#include "registry/plugin.h"
#include "registry/registry.h"
#include "registry/wrappers.h"
#include "targets/targets.h"
#include "tests/support/exported_module.h"
#include "tests/support/test_models.h"

namespace modelport {
namespace {

using testing::HasSubstr;

// The variants of the family, and those of its test plugin.
std::vector<CatalogEntry> Variants(const Registry& registry) {
  std::vector<CatalogEntry> entries;
  for (const CatalogEntry& entry : registry.catalog()) {
    const std::vector<FamilyReference>& extends = entry.plugin->extends;
    const bool extends_it = !extends.empty() && extends.front().family == TestFamily();
    if (entry.plugin->family == TestFamily() || extends_it) entries.push_back(entry);
  }
  EXPECT_FALSE(entries.empty());
  return entries;
}

TEST(VariantsTest, EveryVariantCompilesForEveryTarget) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
  for (const CatalogEntry& entry : Variants(registry)) {
    // Targets of the same wrappers have the same module; those of TorchScript, which has all methods, come first.
    std::set<std::string> compiled;
    for (const Target* target : Targets()) {
      const std::vector<std::string> wrappers = WrapperNames(entry, *target);
      if (wrappers.empty()) {
        EXPECT_THAT(BuildWithoutWeights({.entry = entry, .target = target}),
                    StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("does not support this target")));
      }
      if (!compiled.insert(target->wrappers).second) continue;
      for (const std::string& wrapper : wrappers) {
        SCOPED_TRACE(absl::StrCat(entry.variant->name, " for ", target->name, " ", wrapper));
        ASSERT_OK_AND_ASSIGN(const Artifact artifact,
                             BuildWithoutWeights({.entry = entry, .target = target, .wrapper = wrapper}));
        for (const Call& example : artifact.examples) EXPECT_OK(ExampleInputs(*artifact.built->module, example));
      }
    }
  }
}

TEST(VariantsTest, EveryVariantCompilesForImages) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
  for (const CatalogEntry& entry : Variants(registry)) {
    SCOPED_TRACE(entry.variant->name);
    if (WrappersOf(*entry.plugin, *entry.variant, "").empty()) {
      EXPECT_THAT(BuildWithoutWeights({.entry = entry, .with_preprocess = true}),
                  StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("does not support it")));
      continue;
    }
    ASSERT_OK_AND_ASSIGN(const Artifact artifact, BuildWithoutWeights({.entry = entry, .with_preprocess = true}));
    EXPECT_FALSE(artifact.examples.empty());
    for (const Call& example : artifact.examples) EXPECT_OK(ExampleInputs(*artifact.built->module, example));
  }
}

TEST(VariantsTest, ALicenceThatSpdxDoesNotListTravelsAsItsText) {
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
  for (const CatalogEntry& entry : Variants(registry)) {
    if (!absl::StartsWith(entry.variant->licence, "LicenseRef-")) continue;
    const auto text = entry.plugin->licence_texts.find(entry.variant->licence);
    ASSERT_NE(text, entry.plugin->licence_texts.end()) << entry.variant->name;
    const ArtifactRequest request = {.entry = entry};
    ASSERT_OK_AND_ASSIGN(Artifact artifact, BuildWithoutWeights(request));
    ASSERT_OK_AND_ASSIGN(const FormattedArtifact made, FormatArtifact(request, std::move(artifact)));
    EXPECT_EQ(made.manifest.request().licence_text(), text->second);
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
        ASSERT_OK_AND_ASSIGN(
            const Artifact artifact,
            BuildWithoutWeights({.entry = entry, .target = target, .wrapper = wrapper, .runtime = &GetParam()}));
        EXPECT_OK(CheckRuntime(GetParam(), FormatFor(GetParam()), artifact.built->operators));
      }
    }
    if (WrappersOf(*entry.plugin, *entry.variant, "").empty()) continue;
    ASSERT_OK_AND_ASSIGN(const Artifact of_images,
                         BuildWithoutWeights({.entry = entry, .runtime = &GetParam(), .with_preprocess = true}));
    EXPECT_OK(CheckRuntime(GetParam(), FormatFor(GetParam()), of_images.built->operators)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Runtimes, EveryKindTest, testing::ValuesIn(Runtimes()));

}  // namespace
}  // namespace modelport
