#include "common/keymap/key_map.h"

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

TEST(ParseKeyMapTest, ReadsEveryField) {
  ASSERT_OK_AND_ASSIGN(const KeyMap map, ParseKeyMap({"keymap.yaml", R"yaml(
layouts:
  original:
    recognise: [cls_token, "blocks.{block}.w"]
    prefix: model.
    unwrap: [model, teacher]
    strip: [module.]
    renames:
      - {from: "a.{x}", to: "b.{x}"}
    aliases:
      - {slot: "head.{i}.norm.{leaf}", key: "head.0.norm.{leaf}"}
    missing:
      - {key: mask_token, reason: not used}
    unused:
      - {key: "head.{rest*}", reason: training only}
  other:
    recognise: [x]
)yaml"}));
  ASSERT_THAT(map.layouts, SizeIs(2));
  const Layout* layout = map.Find("original");
  ASSERT_NE(layout, nullptr);
  EXPECT_EQ(layout->recognise[1].text(), "blocks.{block}.w");
  EXPECT_EQ(layout->prefix, "model.");
  EXPECT_THAT(layout->unwrap, ElementsAre("model", "teacher"));
  EXPECT_THAT(layout->strip, ElementsAre("module."));
  EXPECT_EQ(layout->renames[0].to.text(), "b.{x}");
  EXPECT_EQ(layout->renames[0].mark.line, 9);
  EXPECT_EQ(layout->aliases[0].mark.line, 11);
  EXPECT_EQ(layout->StoredKey("head.3.norm.bias"), "head.0.norm.bias");
  EXPECT_EQ(layout->StoredKey("head.0.norm.bias"), "head.0.norm.bias");
  EXPECT_EQ(layout->StoredKey("head.3.conv.bias"), "head.3.conv.bias");
  EXPECT_EQ(layout->missing[0].reason, "not used");
  EXPECT_EQ(layout->unused[0].key.text(), "head.{rest*}");
  EXPECT_EQ(map.Find("transformers"), nullptr);
}

TEST(ParseKeyMapTest, AllProblemsAreReportedAtOnce) {
  EXPECT_THAT(ParseKeyMap({"keymap.yaml", R"yaml(layouts:
  original:
    recognize: [cls_token]
    renames:
      - {from: "a.{x}", to: "b.{y}"}
      - {from: "a.{x"}
    aliases:
      - {slot: "a.{x}", key: "a.{x}.{y}"}
    missing:
      - {key: mask_token}
  empty:
    recognise: []
    unused: [head]
layout: {}
)yaml"}),
              StatusIs(absl::StatusCode::kInvalidArgument, R"yaml(keymap.yaml: 10 problems
  keymap.yaml:3:5: missing field "recognise" in layout original
  keymap.yaml:3:5: unknown field "recognize" in layout original; nearest: recognise
  keymap.yaml:5:9: {y} of "b.{y}" does not stand in "a.{x}"
  keymap.yaml:6:9: missing field "to" in a rename
  keymap.yaml:6:16: pattern "a.{x": part "{x" is neither plain nor {name} nor {name*}
  keymap.yaml:8:9: {y} of "a.{x}.{y}" does not stand in "a.{x}"
  keymap.yaml:10:9: missing field "reason" in an item of field "missing"
  keymap.yaml:12:16: field "recognise" wants at least one pattern
  keymap.yaml:13:14: an item of field "unused" wants a map, has "head"
  keymap.yaml:14:1: unknown field "layout" in a key map; nearest: layouts)yaml"));
}

TEST(ParseKeyMapTest, LayoutsAreRequired) {
  EXPECT_THAT(ParseKeyMap({"keymap.yaml", "{}"}),
              StatusIs(absl::StatusCode::kInvalidArgument, "keymap.yaml:1:1: missing field \"layouts\" in a key map"));
}

}  // namespace
}  // namespace modelport
