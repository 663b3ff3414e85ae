#include "artifact/build/target_tree.h"

#include <string>

#include "absl/strings/str_replace.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "registry/link_plugins.h"
#include "registry/testing/net_plugin.h"
#include "targets/targets.h"

namespace modelport {
namespace {

using ::testing::HasSubstr;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(TargetTreeTest, AWrapperForImagesNeedsNoChannels) {
  const std::string modules =
      absl::StrReplaceAll(kWrappedNet, {{"channels_in: [rgba.red], channels_out: [depth.Z], category: c, ", ""}});
  ASSERT_OK_AND_ASSIGN(const auto plugins, LinkPlugins({Layers(), NetOfImages("Wrapper(mean, dim)", modules)}, {}));
  const CatalogEntry entry = {plugins[1].get(), &plugins[1]->variants[0]};
  ASSERT_OK_AND_ASSIGN(const TargetTree plain, BuildTargetTree({.entry = entry}));
  EXPECT_FALSE(plain.is_wrapped());
  ASSERT_OK_AND_ASSIGN(const TargetTree tree, BuildTargetTree({.entry = entry, .with_preprocess = true}));
  EXPECT_EQ(tree.wrapper, "Wrapper(mean=[0.0, 0.0, 0.0], dim=3)");
  EXPECT_EQ(tree.whole->slots[0].name, "model.fc.weight");
}

TEST(TargetTreeTest, ATestPluginTakesOverTheWrappers) {
  const PluginFolder tiny =
      Folder("t", "family: tiny\nsummary: s\nextends: net\nvariants: {tiny_a: {summary: s, module: Net(1)}}\n", "");
  ASSERT_OK_AND_ASSIGN(const auto plugins, LinkPlugins({Layers(), WrappedNet("Net", "Wrapper(mean, dim)")}, {tiny}));
  ASSERT_OK_AND_ASSIGN(const Target* nuke, FindTarget("nuke"));
  const CatalogEntry entry = {plugins[2].get(), &plugins[2]->variants[0]};
  ASSERT_OK_AND_ASSIGN(const TargetTree tree, BuildTargetTree({.entry = entry, .target = nuke}));
  EXPECT_EQ(tree.whole->root.type->name(), "Wrapper");
  EXPECT_EQ(tree.model->slots[0].name, "fc.weight");
  EXPECT_EQ(tree.whole->slots[0].name, "model.fc.weight");
  EXPECT_EQ(tree.whole->interface->multiple_of, 1);
  ASSERT_OK_AND_ASSIGN(const TargetTree own, BuildTargetTree({.entry = entry}));
  EXPECT_EQ(own.whole, own.model);
  EXPECT_EQ(own.whole->slots[0].name, "fc.weight");
}

TEST(TargetTreeTest, OneOfSeveralWrappersIsChosenByName) {
  ASSERT_OK_AND_ASSIGN(const auto plugins,
                       LinkPlugins({Layers(), NetOfSeveralWrappers("has_normals == 1 and dim > 2")}, {}));
  const Plugin& net = *plugins[1];
  ASSERT_OK_AND_ASSIGN(const Target* nuke, FindTarget("nuke"));
  const auto build = [&](int variant, const std::string& wrapper) {
    return BuildTargetTree({.entry = {&net, &net.variants[variant]}, .target = nuke, .wrapper = wrapper});
  };
  for (const char* wrapper : {"", "depth"}) {
    ASSERT_OK_AND_ASSIGN(const TargetTree tree, build(0, wrapper));
    EXPECT_EQ(tree.wrapper, "Wrapper(mean=[0.0, 0.0, 0.0], dim=3)");
    EXPECT_EQ(tree.wrapper_name, "");
  }
  ASSERT_OK_AND_ASSIGN(const TargetTree tree, build(0, "normals"));
  EXPECT_EQ(tree.wrapper, "Wrapper(mean=[0.0, 0.0, 0.0], dim=1)");
  EXPECT_EQ(tree.wrapper_name, "normals");
  EXPECT_THAT(build(0, "normal"), StatusIs(kInvalid,
                                           "--wrapper=normal: net_a has no such wrapper for nuke; it has "
                                           "depth (the default), normals"));
  EXPECT_THAT(build(1, "normals"),
              StatusIs(kInvalid, "--wrapper=normals: net_b has no such wrapper for nuke; it has depth (the default)"));
  EXPECT_THAT(BuildTargetTree({.entry = {&net, &net.variants[0]}, .wrapper = "normals"}),
              StatusIs(kInvalid, HasSubstr("--target=libtorch have no wrapper to choose; add --target=nuke")));
}

TEST(TargetTreeTest, AModelForWhichNoConditionHoldsDoesNotSupportTheTarget) {
  PluginFolder folder = NetOfSeveralWrappers("dim > 3");
  for (YamlFile& file : folder.files) absl::StrReplaceAll({{"      depth: Wrapper(mean, dim)\n", ""}}, &file.text);
  ASSERT_OK_AND_ASSIGN(const auto plugins, LinkPlugins({Layers(), folder}, {}));
  ASSERT_OK_AND_ASSIGN(const Target* nuke, FindTarget("nuke"));
  EXPECT_THAT(BuildTargetTree({.entry = {plugins[1].get(), &plugins[1]->variants[0]}, .target = nuke}),
              StatusIs(kInvalid,
                       "--target=nuke: net_a does not support this target: models/net/plugin.yaml:8:7: wrapper normals "
                       "is for models of which this holds: dim > 3"));
}

TEST(TargetTreeTest, ARootWithoutAWrapperDoesNotSupportTheTarget) {
  ASSERT_OK_AND_ASSIGN(const auto plugins, LinkPlugins({Layers(), Net()}, {}));
  ASSERT_OK_AND_ASSIGN(const Target* nuke, FindTarget("nuke"));
  EXPECT_THAT(BuildTargetTree({.entry = {plugins[1].get(), &plugins[1]->variants[0]}, .target = nuke}),
              StatusIs(kInvalid, HasSubstr("models/net/plugin.yaml names no wrapper for Net under targets: nuke")));
}

}  // namespace
}  // namespace modelport
