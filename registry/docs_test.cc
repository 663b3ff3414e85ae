// Checks that the toy plugin in docs/plugins.md is a valid plugin.
#include <algorithm>

#include "common/keymap/header_checkpoint.h"
#include "common/keymap/key_mapper.h"
#include "common/keymap/published_keys.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/link_plugins.h"
#include "registry/plugin_folder.h"
#include "registry/toy_plugin.h"
#include "registry/wrappers.h"
#include "targets/targets.h"

namespace modelport {
namespace {

using ::testing::SizeIs;

TEST(PluginDocsTest, TheToyPluginLoadsAndTakesItsPublishedKeys) {
  const PluginFolder folder = ReadToyPlugin();
  ASSERT_THAT(folder.files, SizeIs(3));
  ASSERT_OK_AND_ASSIGN(const auto plugins, LinkPlugins(GroupByFolder(BuiltInPlugins().value()), {folder}));
  const auto toy = std::find_if(plugins.begin(), plugins.end(), [](const auto& p) { return p->family == "toy"; });
  ASSERT_NE(toy, plugins.end());
  ASSERT_THAT((*toy)->variants, SizeIs(2));
  for (const Variant& variant : (*toy)->variants) {
    ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildModuleTree((*toy)->library, variant.module));
    const Checkpoint checkpoint = MakeHeaderCheckpoint("toy.pth", PublishedKeys((*toy)->key_map, tree));
    EXPECT_OK(MakePlan(checkpoint, (*toy)->key_map, tree, {}, variant.name));
    ASSERT_OK_AND_ASSIGN(const Target* nuke, FindTarget("nuke"));
    ASSERT_OK_AND_ASSIGN(const ChosenWrapper chosen, FindWrapper(**toy, variant, *nuke, /*with_preprocess=*/false, ""));
    ASSERT_OK_AND_ASSIGN(const ModuleTree wrapped, BuildWithin(*chosen.wrapper, **toy, variant, tree));
    EXPECT_THAT(wrapped.root.knobs, SizeIs(1));
    EXPECT_EQ(wrapped.interface->multiple_of, 14);
  }
}

}  // namespace
}  // namespace modelport
