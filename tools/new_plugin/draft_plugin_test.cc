#include "tools/new_plugin/draft_plugin.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/header_checkpoint.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

StateDict Dict(const std::string& path, const std::vector<SeededKey>& keys) {
  StateDict dict = MakeHeaderCheckpoint("c", keys).state_dicts()[0];
  dict.path = path;
  return dict;
}

absl::StatusOr<PluginDraft> Draft(std::vector<StateDict> dicts, const absl::optional<std::string>& state_dict = {}) {
  return DraftPlugin(BuiltInPlugins(), "my_net", MakeHeaderCheckpoint("folder/c.pth", std::move(dicts)), state_dict);
}

// The text of a file of `draft`.
std::string Text(const PluginDraft& draft, const std::string& name) {
  for (const PluginDraft::File& file : draft.files) {
    if (file.name == name) return file.text;
  }
  return "";
}

TEST(DraftPluginTest, HasTheFilesOfAPlugin) {
  ASSERT_OK_AND_ASSIGN(const PluginDraft draft, Draft({Dict("", {{"fc.weight", {5, 3}}, {"fc.bias", {5}}})}));
  ASSERT_EQ(draft.files.size(), 4);
  EXPECT_THAT(Text(draft, "plugin.yaml"), HasSubstr("    module: MyNet()\n"));
  EXPECT_THAT(Text(draft, "plugin.yaml"), HasSubstr("    file: \"c.pth\"\n"));
  EXPECT_THAT(Text(draft, "modules.yaml"), HasSubstr("  MyNet():\n    children:\n      fc: Linear(3, 5)\n"));
  EXPECT_THAT(Text(draft, "keymap.yaml"), HasSubstr("      - \"fc.weight\"\n      - \"fc.bias\"\n"));
  EXPECT_EQ(Text(draft, "BUILD"),
            "load(\"//build_defs:model_plugin.bzl\", \"model_plugin\")\n\nmodel_plugin(name = \"my_net\")\n");
  EXPECT_EQ(draft.state_dict, ".");
  EXPECT_EQ(draft.tensors, 2);
  EXPECT_EQ(draft.parameters, 20);
  EXPECT_EQ(draft.types, 1);
}

TEST(DraftPluginTest, TheBuildFileListsALargeVariant) {
  ASSERT_OK_AND_ASSIGN(const PluginDraft draft, Draft({Dict("", {{"fc.weight", {10'000, 13'000}}})}));
  EXPECT_THAT(Text(draft, "BUILD"), HasSubstr("    large = [\"my_net\"],"));
}

TEST(DraftPluginTest, TakesTheDictionaryWithTheMostTensors) {
  const std::vector<StateDict> dicts = {Dict("", {{"step", {}}}), Dict("a.ema", {{"x.w", {1}}, {"x.v", {1}}}),
                                        Dict("student", {{"x.w", {1}}, {"x.u", {2}}})};
  ASSERT_OK_AND_ASSIGN(const PluginDraft draft, Draft(dicts));
  EXPECT_EQ(draft.state_dict, "a.ema");
  EXPECT_THAT(draft.other_state_dicts, ElementsAre(".", "student"));
  EXPECT_THAT(Text(draft, "keymap.yaml"), HasSubstr("    unwrap:\n      - \"a\"\n      - \"ema\"\n"));
  ASSERT_OK_AND_ASSIGN(const PluginDraft chosen, Draft(dicts, "student"));
  EXPECT_THAT(Text(chosen, "keymap.yaml"), HasSubstr("    unwrap:\n      - \"student\"\n"));
  EXPECT_THAT(Text(chosen, "modules.yaml"), HasSubstr("      u: [2]\n"));
  EXPECT_THAT(Draft(dicts, "teacher"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "folder/c.pth: no dictionary \"teacher\" holds tensors; known: ., a.ema, student"));
}

TEST(DraftPluginTest, StripsPrefixesThatAllKeysHave) {
  ASSERT_OK_AND_ASSIGN(const PluginDraft draft,
                       Draft({Dict("", {{"module._orig_mod.a.w", {1}}, {"module._orig_mod.b.w", {1}}})}));
  EXPECT_THAT(Text(draft, "keymap.yaml"), HasSubstr("    strip:\n      - \"module.\"\n      - \"_orig_mod.\"\n"));
  EXPECT_THAT(Text(draft, "modules.yaml"), HasSubstr("      a: A()\n"));
  ASSERT_OK_AND_ASSIGN(const PluginDraft some, Draft({Dict("", {{"module.a.w", {1}}, {"b.w", {1}}})}));
  EXPECT_THAT(Text(some, "keymap.yaml"), Not(HasSubstr("strip")));
  // Without the prefixes both keys would be a.w.
  ASSERT_OK_AND_ASSIGN(const PluginDraft alike, Draft({Dict("", {{"module.a.w", {1}}, {"module.module.a.w", {1}}})}));
  EXPECT_THAT(Text(alike, "keymap.yaml"), Not(HasSubstr("strip")));
}

TEST(DraftPluginTest, TensorsWithoutElementsAreUnused) {
  ASSERT_OK_AND_ASSIGN(const PluginDraft draft, Draft({Dict("", {{"a.w", {1}}, {"a.none", {3, 0}}})}));
  EXPECT_EQ(draft.tensors, 1);
  EXPECT_THAT(Text(draft, "keymap.yaml"), HasSubstr("      - {key: \"a.none\", reason: a tensor without elements}\n"));
  EXPECT_THAT(Draft({Dict("", {{"a.none", {3, 0}}})}),
              StatusIs(absl::StatusCode::kInvalidArgument, "folder/c.pth: no tensor has elements"));
  std::vector<SeededKey> keys = {{"a.w", {1}}};
  for (int i = 0; i < 101; ++i) keys.push_back({absl::StrCat("b", i), {0}});
  EXPECT_THAT(Draft({Dict("", keys)}),
              StatusIs(absl::StatusCode::kInvalidArgument, "folder/c.pth: more than 100 tensors without elements"));
}

TEST(DraftPluginTest, ReplacedNamesFitByTheirRenames) {
  EXPECT_OK(Draft({Dict("model", {{"module.0.in.weight", {2, 2}}, {"module.0.x", {1}}, {"module.0.x.w", {1}}})}));
}

TEST(DraftPluginTest, AFileNameIsTextAndNeverYaml) {
  const Checkpoint checkpoint = MakeHeaderCheckpoint("a\" @name@: #\\b.pth", std::vector<SeededKey>{{"a.w", {1}}});
  ASSERT_OK_AND_ASSIGN(const PluginDraft draft, DraftPlugin(BuiltInPlugins(), "my_net", checkpoint, absl::nullopt));
  EXPECT_THAT(Text(draft, "plugin.yaml"), HasSubstr("    file: \"a\\\" @name@: #\\\\b.pth\"\n"));
}

TEST(DraftPluginTest, MoreThanAPluginHoldsIsAnError) {
  std::vector<SeededKey> keys;
  for (int i = 0; i < 5000; ++i) keys.push_back({absl::StrCat("m", i, "_", std::string(50, 'a'), ".w", i), {1}});
  EXPECT_THAT(Draft({Dict("", keys)}),
              StatusIs(absl::StatusCode::kInvalidArgument, StartsWith("my_net/modules.yaml: a draft of ")));
  keys.clear();
  for (int i = 0; i < 110'000; ++i) keys.push_back({absl::StrCat("m.", i / 1000, ".", i % 1000, ".w"), {1}});
  EXPECT_THAT(Draft({Dict("", keys)}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("more than 100000 modules in a tree")));
}

TEST(DraftPluginTest, NamesThatAreTakenOrInvalidAreErrors) {
  EXPECT_THAT(StarterPlugin(BuiltInPlugins(), "dinov2"),
              StatusIs(absl::StatusCode::kAlreadyExists, "--name=dinov2: models/dinov2 has a family of this name"));
  EXPECT_THAT(
      StarterPlugin(BuiltInPlugins(), "dinov2_vits14"),
      StatusIs(absl::StatusCode::kAlreadyExists, "--name=dinov2_vits14: models/dinov2 has a variant of this name"));
  EXPECT_THAT(StarterPlugin(BuiltInPlugins(), "../net"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("valid name")));
}

TEST(StarterPluginTest, Links) {
  for (const char* name : {"my_net", "3d-net.v2", "a"}) {
    ASSERT_OK_AND_ASSIGN(const PluginDraft draft, StarterPlugin(BuiltInPlugins(), name));
    EXPECT_EQ(draft.files.size(), 4);
    EXPECT_EQ(draft.tensors, 14);
    EXPECT_EQ(draft.types, 2);
  }
}

}  // namespace
}  // namespace modelport
