// tests/new_plugin/draft_layout_test.cc has drafts for published files.
#include "tools/draft/draft_layout.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/keymap/header_checkpoint.h"
#include "common/keymap/key_map.h"
#include "common/keymap/key_mapper.h"
#include "common/status/status_matchers.h"
#include "common/tensor/shape.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::HasSubstr;

class DraftLayoutTest : public testing::Test {
 protected:
  void Slot(const std::string& name, Shape shape) { tree_.slots.push_back({name, std::move(shape)}); }

  void Key(const std::string& name, Shape shape) {
    std::vector<int64_t> strides = RowMajorStrides(shape);
    dict_.tensors.push_back({name, DType::kFloat32, std::move(shape), std::move(strides), 0, 0});
  }

  // Whether the file fits by the drafted layout.
  absl::Status Fit(const LayoutDraft& draft) {
    const auto key_map = ParseKeyMap({"keymap.yaml", draft.yaml});
    if (!key_map.ok()) return key_map.status();
    return MakePlan(MakeHeaderCheckpoint("net.pth", std::vector<StateDict>{dict_}), *key_map, tree_, {}, "net")
        .status();
  }

  ModuleTree tree_;
  StateDict dict_;
};

TEST_F(DraftLayoutTest, MembersOfAModuleAreOneRule) {
  for (const char* leaf : {"weight", "bias"}) {
    Slot(absl::StrCat("blocks.0.fc.", leaf), {2});
    Slot(absl::StrCat("blocks.1.fc.", leaf), {2});
    Key(absl::StrCat("layers.0.fcs.", leaf), {2});
    Key(absl::StrCat("layers.1.fcs.", leaf), {2});
  }
  ASSERT_OK_AND_ASSIGN(const LayoutDraft draft, DraftLayout(dict_, tree_));
  EXPECT_EQ(draft.yaml,
            R"yaml(# DRAFT: fills 4 of 4 slots from 4 of 4 keys. Names and shapes suggest it; check every rule.
layouts:
  drafted:
    recognise:
      - "layers.{i}.fcs.weight"
    sources:
      - {slot: "blocks.{i}.fc.{leaf}", key: "layers.{i}.fcs.{leaf}"}
)yaml");
  EXPECT_OK(Fit(draft));
}

TEST_F(DraftLayoutTest, AModuleWithAMemberOfAnotherRuleKeepsItsRulesApart) {
  Slot("fc.weight", {2});
  Slot("fc.bias", {2});
  Slot("fc.scale", {3});
  Key("dense.weight", {2});
  Key("dense.bias", {2});
  Key("factor", {3});
  ASSERT_OK_AND_ASSIGN(const LayoutDraft draft, DraftLayout(dict_, tree_));
  EXPECT_THAT(draft.yaml, HasSubstr("{slot: \"fc.weight\", key: \"dense.weight\"}"));
  EXPECT_OK(Fit(draft));
}

TEST_F(DraftLayoutTest, NamesThatDifferByAPrefixNeedNoRules) {
  Slot("fc.weight", {2});
  Slot("norm.weight", {2});
  Key("model.net.fc.weight", {2});
  Key("model.net.norm.weight", {2});
  ASSERT_OK_AND_ASSIGN(const LayoutDraft draft, DraftLayout(dict_, tree_));
  EXPECT_EQ(draft.yaml,
            R"yaml(# DRAFT: fills 2 of 2 slots from 2 of 2 keys. Names and shapes suggest it; check every rule.
layouts:
  drafted:
    recognise:
      - "fc.weight"
    prefix: "model.net."
)yaml");
  EXPECT_OK(Fit(draft));
}

TEST_F(DraftLayoutTest, WhatIsLeftIsListed) {
  Slot("a.weight", {2});
  Slot("mask", {9});
  Slot("mask2", {9});
  Key("b.weight", {2});
  for (int i = 0; i < 3; ++i) Key(absl::StrCat("head.", i, ".bias"), {5});
  ASSERT_OK_AND_ASSIGN(const LayoutDraft draft, DraftLayout(dict_, tree_));
  EXPECT_EQ(draft.filled, 1);
  EXPECT_EQ(draft.slots, 3);
  EXPECT_EQ(draft.used, 1);
  EXPECT_EQ(draft.keys, 4);
  EXPECT_THAT(draft.yaml, HasSubstr("# slots without a key\n#   mask [9]\n#   mask2 [9]\n"
                                    "# keys without a slot\n#   head.{0..2}.bias [5]\n"));
}

TEST_F(DraftLayoutTest, DoubtfulRulesAreMarked) {
  Slot("w12", {6, 2});
  Slot("zz", {5});
  Key("x.a", {3, 2});
  Key("x.b", {3, 2});
  Key("qq", {5});
  ASSERT_OK_AND_ASSIGN(const LayoutDraft draft, DraftLayout(dict_, tree_));
  EXPECT_THAT(draft.yaml, HasSubstr("{slot: \"w12\", key: \"x.{a,b}\", by: \"concatenate(0)\"}  # in which order?\n"));
  EXPECT_THAT(draft.yaml, HasSubstr("{slot: \"zz\", key: \"qq\"}  # by shape; the names have little in common\n"));
  EXPECT_OK(Fit(draft));
}

TEST_F(DraftLayoutTest, NothingInCommonIsNoLayout) {
  Slot("a", {2});
  Key("b", {3});
  ASSERT_OK_AND_ASSIGN(const LayoutDraft draft, DraftLayout(dict_, tree_));
  EXPECT_EQ(draft.yaml,
            "# DRAFT: fills 0 of 1 slots from 0 of 1 keys. Names and shapes suggest it; check every rule.\n"
            "# slots without a key\n#   a [2]\n# keys without a slot\n#   b [3]\n");
}

// Their names are not layers on both sides; the shape that occurs once tells.
TEST_F(DraftLayoutTest, AShapeThatOccursOnceIsPaired) {
  for (int i = 1; i < 4; ++i) Slot(absl::StrCat("layer", i, "_rn"), {i < 3 ? i : 2});
  for (int i = 0; i < 3; ++i) Key(absl::StrCat("convs.", i), {i < 2 ? i + 1 : 2});
  ASSERT_OK_AND_ASSIGN(const LayoutDraft draft, DraftLayout(dict_, tree_));
  EXPECT_EQ(draft.filled, 1);
  EXPECT_THAT(draft.yaml, HasSubstr("{slot: \"layer1_rn\", key: \"convs.0\"}"));
}

TEST_F(DraftLayoutTest, ADictionaryIsUnwrapped) {
  Slot("a", {2});
  Key("a", {2});
  dict_.path = "ckpt.ema";
  ASSERT_OK_AND_ASSIGN(const LayoutDraft draft, DraftLayout(dict_, tree_));
  EXPECT_THAT(draft.yaml, HasSubstr("    unwrap:\n      - \"ckpt\"\n      - \"ema\"\n"));
  EXPECT_OK(Fit(draft));
}

// A quote or a brace in a key neither breaks the YAML nor becomes a rule by mistake.
TEST_F(DraftLayoutTest, OddNames) {
  Slot("fc", {2});
  Slot("b", {3});
  Key("f\"c\\", {2});
  Key("b{i}", {3});
  ASSERT_OK_AND_ASSIGN(const LayoutDraft draft, DraftLayout(dict_, tree_));
  EXPECT_EQ(draft.used, 1);
  EXPECT_OK(ParseKeyMap({"keymap.yaml", draft.yaml}).status());
}

TEST_F(DraftLayoutTest, TooManyTensorsAreRefused) {
  Slot("a", {2});
  for (int i = 0; i <= 20000; ++i) Key(absl::StrCat("k", i), {2});
  EXPECT_THAT(DraftLayout(dict_, tree_), StatusIs(absl::StatusCode::kInvalidArgument,
                                                  "a layout is drafted for at most 20000 tensors; the file has 20001, "
                                                  "the model 1"));
}

}  // namespace
}  // namespace modelport
