// The toy plugin in docs/plugins.md is a plugin.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/keymap/header_checkpoint.h"
#include "common/keymap/plan.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "registry/link_plugins.h"
#include "registry/plugin_folder.h"
#include "registry/target_tree.h"

namespace modelport {
namespace {

using ::testing::SizeIs;

// The YAML blocks of the page; the first line of each is a comment with the file's name.
PluginFolder ReadToyPlugin() {
  std::ifstream stream("docs/plugins.md");
  const std::string page(std::istreambuf_iterator<char>(stream), {});
  PluginFolder folder{"docs/toy", {}};
  const std::vector<std::string> pieces = absl::StrSplit(page, "```");
  for (absl::string_view block : pieces) {
    if (!absl::ConsumePrefix(&block, "yaml\n# ")) continue;
    const absl::string_view name = block.substr(0, block.find('\n'));
    folder.files.push_back({absl::StrCat("docs/toy/", name), absl::StrCat("# ", block)});
  }
  return folder;
}

TEST(PluginDocsTest, TheToyPluginLoadsAndTakesItsPublishedKeys) {
  const PluginFolder folder = ReadToyPlugin();
  ASSERT_THAT(folder.files, SizeIs(3));
  ASSERT_OK_AND_ASSIGN(const auto plugins, LinkPlugins(EmbeddedPluginFolders(), {folder}));
  const auto toy = std::find_if(plugins.begin(), plugins.end(), [](const auto& p) { return p->family == "toy"; });
  ASSERT_NE(toy, plugins.end());
  ASSERT_THAT((*toy)->variants, SizeIs(2));
  for (const Variant& variant : (*toy)->variants) {
    ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildModuleTree((*toy)->library, variant.module));
    const Checkpoint checkpoint = MakeHeaderCheckpoint("toy.pth", PublishedKeys((*toy)->key_map, tree));
    EXPECT_OK(MakePlan(checkpoint, (*toy)->key_map, tree, {}, variant.name));
    ASSERT_OK_AND_ASSIGN(const Target* nuke, FindTarget("nuke"));
    ASSERT_OK_AND_ASSIGN(const ModuleTree wrapped, BuildTargetTree(**toy, variant, *nuke));
    EXPECT_THAT(wrapped.root.knobs, SizeIs(1));
  }
}

}  // namespace
}  // namespace modelport
