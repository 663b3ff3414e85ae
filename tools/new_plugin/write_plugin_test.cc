#include "gtest/gtest.h"
#include "tools/new_plugin/draft_plugin.h"

namespace modelport {
namespace {

constexpr char kList[] =
    "\"\"\"Families.\"\"\"\n\nPLUGINS = [\n    \"dinov2\",\n    \"layers\",\n]\n\nHOSTS = [\"nuke\"]\n";

TEST(PluginListTest, AddsInOrder) {
  EXPECT_EQ(AddToPluginList(kList, "alpha"),
            "\"\"\"Families.\"\"\"\n\nPLUGINS = [\n    \"alpha\",\n    \"dinov2\",\n    \"layers\",\n]\n\nHOSTS = "
            "[\"nuke\"]\n");
  EXPECT_EQ(AddToPluginList(kList, "dinov2_b"),
            "\"\"\"Families.\"\"\"\n\nPLUGINS = [\n    \"dinov2\",\n    \"dinov2_b\",\n    \"layers\",\n]\n\nHOSTS = "
            "[\"nuke\"]\n");
  EXPECT_EQ(AddToPluginList(kList, "zoe"),
            "\"\"\"Families.\"\"\"\n\nPLUGINS = [\n    \"dinov2\",\n    \"layers\",\n    \"zoe\",\n]\n\nHOSTS = "
            "[\"nuke\"]\n");
}

TEST(PluginListTest, ANameThatEndsBeforeAnotherComesFirst) {
  EXPECT_EQ(AddToPluginList("PLUGINS = [\n    \"a-b\",\n]", "a"), "PLUGINS = [\n    \"a\",\n    \"a-b\",\n]");
}

TEST(PluginListTest, KeepsAListThatHasTheName) { EXPECT_EQ(AddToPluginList(kList, "layers"), kList); }

TEST(PluginListTest, RefusesOtherForms) {
  for (const char* text :
       {"", "PLUGINS = []\n", "PLUGINS = [\"a\"]\n", "PLUGINS = [\n    \"a\",\n", "PLUGINS = [\n  \"a\",\n]\n",
        "PLUGINS = [\n    \"a\",  # why\n]\n", "PLUGINS = [\n    \"a\",\n] + OTHERS\n"}) {
    EXPECT_EQ(AddToPluginList(text, "b"), absl::nullopt) << text;
  }
}

}  // namespace
}  // namespace modelport
