#include "registry/link_key_map.h"

#include <string>
#include <vector>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kInner[] = R"yaml(layouts:
  published:
    recognise: ["layer.{i}.q"]
    prefix: model.
    unwrap: [state_dict]
    strip: [module.]
    old_names: [{from: "old.{rest*}", to: "layer.{rest*}", reason: renamed}]
    renames: [{from: "a.{x}", to: "b.{x}"}]
    sources:
      - {slot: "blocks.{i}.qkv", key: "layer.{i}.{q,k,v}", by: concatenate(0), when: "layer.{i}.q"}
    aliases: [{slot: "norm.{i}.w", key: norm.0.w}]
    missing: [{key: mask, reason: not needed}]
    dropped: [{key: index, reason: not stored}]
    unused: [{key: "head.{rest*}", reason: training}]
    config:
      type: relative
      heads: {is: heads}
      eps: {of: norm, is: eps}
    config_unread: ["labels.{name*}"]
    constants: {depth: 3}
)yaml";

constexpr char kOuter[] = R"yaml(layouts:
  whole:
    recognise: [fc.weight]
    sources: [{slot: top.weight, key: fc.weight}]
    includes: [{family: inner, layout: published, slot: net.body, key: bert}]
)yaml";

Layout OnlyLayout(const char* text) { return ParseKeyMap({"keymap.yaml", text})->layouts[0]; }

template <typename Patterns>
std::vector<std::string> Texts(const Patterns& patterns) {
  std::vector<std::string> texts;
  for (const KeyPattern& pattern : patterns) texts.push_back(pattern.text());
  return texts;
}

TEST(IncludeLayoutTest, KeysAndSlotsAreBelowTheirPaths) {
  Layout layout = OnlyLayout(kOuter);
  IncludeLayout(OnlyLayout(kInner), layout.includes[0], &layout);
  EXPECT_THAT(Texts(layout.recognise), ElementsAre("bert.layer.{i}.q", "fc.weight"));
  EXPECT_EQ(layout.old_names[0].from.text(), "bert.old.{rest*}");
  EXPECT_EQ(layout.old_names[0].to.text(), "bert.layer.{rest*}");
  EXPECT_EQ(layout.renames[0].from.text(), "bert.a.{x}");
  EXPECT_EQ(layout.renames[0].to.text(), "bert.b.{x}");
  ASSERT_EQ(layout.sources.size(), 2);
  EXPECT_THAT(Texts(layout.sources[0].slots), ElementsAre("net.body.blocks.{i}.qkv"));
  EXPECT_THAT(Texts(layout.sources[0].keys), ElementsAre("bert.layer.{i}.q", "bert.layer.{i}.k", "bert.layer.{i}.v"));
  EXPECT_EQ(layout.sources[0].when->text(), "bert.layer.{i}.q");
  EXPECT_THAT(Texts(layout.sources[1].slots), ElementsAre("top.weight"));
  EXPECT_EQ(layout.aliases[0].slot.text(), "net.body.norm.{i}.w");
  EXPECT_EQ(layout.aliases[0].key.text(), "bert.norm.0.w");
  EXPECT_EQ(layout.missing[0].key.text(), "net.body.mask");
  EXPECT_EQ(layout.dropped[0].key.text(), "net.body.index");
  EXPECT_EQ(layout.unused[0].key.text(), "bert.head.{rest*}");
}

TEST(IncludeLayoutTest, WhatIsAboutTheWholeFileStays) {
  Layout layout = OnlyLayout(kOuter);
  IncludeLayout(OnlyLayout(kInner), layout.includes[0], &layout);
  EXPECT_EQ(layout.name, "whole");
  EXPECT_EQ(layout.prefix, "");
  EXPECT_THAT(layout.unwrap, IsEmpty());
  EXPECT_THAT(layout.strip, IsEmpty());
  EXPECT_THAT(layout.constants, IsEmpty());
}

TEST(IncludeLayoutTest, FieldsOfAConfigAreBelowTheirObject) {
  Layout layout = OnlyLayout(R"yaml(layouts:
  whole:
    recognise: [w]
    config: {bert_config.type: own}
    includes:
      - {family: inner, layout: published, slot: net.body, key: bert, config: bert_config}
      - {family: inner, layout: published, slot: net.tail}
)yaml");
  for (const Inclusion& inclusion : std::vector<Inclusion>(layout.includes)) {
    IncludeLayout(OnlyLayout(kInner), inclusion, &layout);
  }
  std::vector<std::string> rules;
  for (const ConfigRule& rule : layout.config) rules.push_back(rule.field + " " + rule.of + " " + rule.value);
  EXPECT_THAT(rules,
              ElementsAre("bert_config.type  own", "bert_config.heads net.body ", "bert_config.eps net.body.norm ",
                          "type net.tail relative", "heads net.tail ", "eps net.tail.norm "));
  EXPECT_THAT(Texts(layout.config_unread), ElementsAre("bert_config.labels.{name*}", "labels.{name*}"));
}

// Rules of an inclusion inside the included layout apply below both paths.
TEST(IncludeLayoutTest, SlotsWithoutARuleHaveTheirOwnNamesBelowTheKey) {
  Layout layout = OnlyLayout(kOuter);
  EXPECT_EQ(layout.OwnKey("net.body.norm.1.w"), "bert.norm.1.w");
  Layout inner = OnlyLayout(kInner);
  inner.includes = {{.family = "core", .layout = "l", .slot = "core", .key = "", .mark = {}},
                    {.family = "tail", .layout = "l", .slot = "tail", .key = "end", .mark = {}}};
  IncludeLayout(inner, layout.includes[0], &layout);
  EXPECT_EQ(layout.OwnKey("net.body.core.w"), "bert.w");
  EXPECT_EQ(layout.OwnKey("net.body.tail.w"), "bert.end.w");
  EXPECT_EQ(layout.OwnKey("net.body.w"), "bert.w");
  EXPECT_EQ(layout.OwnKey("net.body_two.w"), "net.body_two.w");
  EXPECT_EQ(layout.OwnKey("top.weight"), "top.weight");
  EXPECT_EQ(layout.StoredKey("net.body.norm.1.w"), "bert.norm.0.w");
}

}  // namespace
}  // namespace modelport
