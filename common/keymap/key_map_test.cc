#include "common/keymap/key_map.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "common/status/status_matchers.h"
#include "common/yaml/testing/schema_errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

TEST(ParseKeyMapTest, ReadsEveryField) {
  const YamlFile file = {"keymap.yaml", R"yaml(
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
    dropped:
      - {key: "old.{leaf}", reason: nobody has it}
    unused:
      - {key: "head.{rest*}", reason: training only}
    config: {type: relative, depth: {is: depth}}
    config_unread: [rate, "labels.{name*}"]
  other:
    recognise: [x]
)yaml"};
  EXPECT_THAT(SchemaErrors(file), IsEmpty());
  ASSERT_OK_AND_ASSIGN(const KeyMap map, ParseKeyMap(file));
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
  EXPECT_EQ(layout->FindMissing("mask_token"), &layout->missing[0]);
  EXPECT_EQ(layout->FindMissing("old.weight"), &layout->dropped[0]);
  EXPECT_EQ(layout->FindDropped("old.weight"), &layout->dropped[0]);
  EXPECT_EQ(layout->FindDropped("mask_token"), nullptr);
  EXPECT_EQ(layout->unused[0].key.text(), "head.{rest*}");
  ASSERT_THAT(layout->config, SizeIs(2));
  EXPECT_EQ(layout->config[0].field, "type");
  EXPECT_EQ(layout->config[0].value, "relative");
  ASSERT_THAT(layout->config_unread, SizeIs(2));
  EXPECT_TRUE(layout->config_unread[1].Matches("labels.0"));
  EXPECT_EQ(map.Find("transformers"), nullptr);
}

// What ParseKeyMap says of a damaged file. The schema refuses it too.
absl::Status Refuse(const std::string& text) {
  EXPECT_THAT(SchemaErrors({"keymap.yaml", text}), Not(IsEmpty()));
  return ParseKeyMap({"keymap.yaml", text}).status();
}

TEST(ParseKeyMapTest, AllProblemsAreReportedAtOnce) {
  EXPECT_THAT(Refuse(R"yaml(layouts:
  original:
    recognize: [cls_token]
    renames:
      - {from: "a.{x}", to: "b.{y}"}
      - {from: "a.{x"}
    aliases:
      - {slot: "a.{x}", key: "a.{x}.{y}"}
    missing:
      - {key: mask_token}
      - {key: mask_token, reason: x, value: nan}
  empty:
    recognise: []
    unused: [head, {key: head, reason: x, value: 1}]
layout: {}
)yaml"),
              StatusIs(absl::StatusCode::kInvalidArgument, R"yaml(keymap.yaml: 12 problems
  keymap.yaml:3:5: missing field "recognise" in layout original
  keymap.yaml:3:5: unknown field "recognize" in layout original; nearest: recognise
  keymap.yaml:5:9: {y} of "b.{y}" is not in "a.{x}"
  keymap.yaml:6:9: missing field "to" in a rename
  keymap.yaml:6:16: pattern "a.{x": part "{x" is neither plain nor {name} nor {name*}
  keymap.yaml:8:9: {y} of "a.{x}.{y}" is not in "a.{x}"
  keymap.yaml:10:9: missing field "reason" in an item of field "missing"
  keymap.yaml:11:45: field "value" wants a number, true or false, has "nan"
  keymap.yaml:13:16: field "recognise" wants at least one pattern
  keymap.yaml:14:14: an item of field "unused" wants a map, has "head"
  keymap.yaml:14:43: unknown field "value" in an item of field "unused"; known: key, reason
  keymap.yaml:15:1: unknown field "layout" in a key map; nearest: layouts)yaml"));
}

constexpr char kShared[] = R"yaml(
rules:
  training:
    unwrap: [model]
    strip: [module.]
    unused:
      - {key: "head.{rest*}", reason: training only}
  names:
    renames:
      - {from: "{path*}.attention.{leaf}", to: "{path*}.attn.{leaf}"}
    aliases:
      - {slot: "b.{leaf}", key: "a.{leaf}"}
    missing:
      - {key: mask_token, reason: not used}
layouts:
  original:
    recognise: [x]
    rules: [training]
  renamed:
    recognise: [y]
    rules: [names, training]
    unwrap: [teacher]
    renames:
      - {from: "y.{rest*}", to: "x.{rest*}"}
)yaml";

TEST(ParseKeyMapTest, LayoutsShareRules) {
  ASSERT_OK_AND_ASSIGN(const KeyMap map, ParseKeyMap({"keymap.yaml", kShared}));
  const Layout& original = *map.Find("original");
  EXPECT_THAT(original.unwrap, ElementsAre("model"));
  EXPECT_THAT(original.renames, SizeIs(0));
  EXPECT_THAT(original.unused, SizeIs(1));
  const Layout& renamed = *map.Find("renamed");
  EXPECT_THAT(renamed.unwrap, ElementsAre("model", "teacher"));
  EXPECT_THAT(renamed.strip, ElementsAre("module."));
  ASSERT_THAT(renamed.renames, SizeIs(2));
  EXPECT_EQ(renamed.renames[0].to.text(), "{path*}.attn.{leaf}");
  EXPECT_EQ(renamed.renames[0].mark.line, 10);
  EXPECT_EQ(renamed.renames[1].to.text(), "x.{rest*}");
  EXPECT_EQ(renamed.StoredKey("b.w"), "a.w");
  EXPECT_EQ(renamed.missing[0].reason, "not used");
  EXPECT_EQ(renamed.unused[0].key.text(), "head.{rest*}");
}

TEST(ParseKeyMapTest, AFieldOfAConfigHasOneRule) {
  const auto text = [](const std::string& own) {
    return absl::StrCat("rules: {shared: {config: {type: a}, config_unread: [b]}}\n",
                        "layouts: {one: {recognise: [x], rules: [shared], config: {", own,
                        ": c}, config_unread: [d]}}\n");
  };
  ASSERT_OK_AND_ASSIGN(const KeyMap map, ParseKeyMap({"k.yaml", text("kind")}));
  EXPECT_THAT(map.layouts[0].config, SizeIs(2));
  EXPECT_THAT(map.layouts[0].config_unread, SizeIs(2));
  EXPECT_THAT(ParseKeyMap({"k.yaml", text("type")}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "k.yaml:2:59: field \"type\" of field \"config\" is already at k.yaml:1:27"));
}

TEST(ParseKeyMapTest, ErrorsInSharedRulesAreReported) {
  EXPECT_THAT(Refuse(R"yaml(rules:
  training:
    recognise: [x]
    renames:
      - {from: "{a*}.x.{b*}", to: y}
  idle: {strip: [module.]}
layouts:
  original:
    recognise: [x]
    rules: [traning, training]
)yaml"),
              StatusIs(absl::StatusCode::kInvalidArgument, R"yaml(keymap.yaml: 4 problems
  keymap.yaml:3:5: unknown field "recognise" in rules training; known: unwrap, strip, old_names, renames, sources, +6 more
  keymap.yaml:5:16: pattern "{a*}.x.{b*}": a second {name*}; with two, a key could match in several ways
  keymap.yaml:6:3: no layout takes rules "idle"
  keymap.yaml:10:13: unknown rules "traning"; nearest: training)yaml"));
}

TEST(ParseKeyMapTest, LayoutsAreRequired) {
  EXPECT_THAT(Refuse("{}"),
              StatusIs(absl::StatusCode::kInvalidArgument, "keymap.yaml:1:1: missing field \"layouts\" in a key map"));
}

TEST(ParseKeyMapTest, PartsHaveLayoutsOrNameAFamily) {
  ASSERT_OK_AND_ASSIGN(const KeyMap key_map, ParseKeyMap({"k.yaml", R"yaml(rules:
  training: {strip: [module.]}
parts:
  backbone: features
  head:
    original: {recognise: [weight], rules: [training]}
    other: {recognise: [w]}
)yaml"}));
  EXPECT_TRUE(key_map.layouts.empty());
  ASSERT_EQ(key_map.parts.size(), 2);
  EXPECT_EQ(key_map.parts[0].child, "backbone");
  EXPECT_EQ(key_map.parts[0].family, "features");
  EXPECT_EQ(key_map.parts[1].family, "");
  ASSERT_NE(key_map.FindPart("head"), nullptr);
  ASSERT_NE(key_map.FindPart("head")->Find("other"), nullptr);
  EXPECT_EQ(key_map.FindPart("head")->Find("original")->strip.size(), 1);
  EXPECT_EQ(key_map.FindPart("none"), nullptr);
  EXPECT_EQ(key_map.FindPart(""), &key_map);
}

TEST(ParseKeyMapTest, DamagedPartsAreRefused) {
  EXPECT_THAT(
      ParseKeyMap({"k.yaml", "parts: {2a: base, b: [x], c: ''}\n"}),
      StatusIs(absl::StatusCode::kInvalidArgument,
               testing::AllOf(testing::HasSubstr("k.yaml:1:9: "), testing::HasSubstr("part b wants a map, has a list"),
                              testing::HasSubstr("part c wants a family or layouts"))));
}

}  // namespace
}  // namespace modelport
