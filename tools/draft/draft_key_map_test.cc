#include <string>
#include <vector>

#include "common/keymap/key_map.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/draft/draft_layout.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

KeyMap Parse(const DraftedRules& rules, const KeyTree& tree) {
  const std::string text = KeyMapText(rules, tree);
  const absl::StatusOr<KeyMap> key_map = ParseKeyMap({"keymap.yaml", text});
  EXPECT_THAT(key_map, IsOk()) << text;
  return key_map.value_or(KeyMap());
}

std::vector<std::string> Texts(const std::vector<KeyPattern>& patterns) {
  std::vector<std::string> texts;
  for (const KeyPattern& pattern : patterns) texts.push_back(pattern.text());
  return texts;
}

TEST(DraftKeyMapTest, RecognisesTheKeysWithPlaceholdersForNumbers) {
  DraftedRules rules;
  rules.keys = {"stem.weight", "blocks.0.parts.12.weight", "blocks.1.parts.3.weight"};
  const KeyMap key_map = Parse(rules, {});
  ASSERT_THAT(key_map.layouts, SizeIs(1));
  EXPECT_EQ(key_map.layouts[0].name, "original");
  EXPECT_THAT(Texts(key_map.layouts[0].recognise), ElementsAre("stem.weight", "blocks.{index}.parts.{index2}.weight"));
  EXPECT_THAT(key_map.layouts[0].unwrap, IsEmpty());
}

TEST(DraftKeyMapTest, HasTheRulesOfTheFile) {
  DraftedRules rules;
  rules.keys = {"a.w"};
  rules.unwrap = {"state_dict", "model"};
  rules.strip = {"module."};
  rules.empty = {"nothing"};
  rules.lacks_counters = true;
  const Layout layout = Parse(rules, {}).layouts[0];
  EXPECT_THAT(layout.unwrap, ElementsAre("state_dict", "model"));
  EXPECT_THAT(layout.strip, ElementsAre("module."));
  ASSERT_THAT(layout.missing, SizeIs(1));
  EXPECT_TRUE(layout.missing[0].key.Matches("bn1.num_batches_tracked"));
  ASSERT_THAT(layout.unused, SizeIs(1));
  EXPECT_EQ(layout.unused[0].key.text(), "nothing");
}

TEST(DraftKeyMapTest, RenamedKeysAreALayoutOfTheirOwn) {
  DraftedRules rules;
  rules.keys = {"in.w"};
  rules.strip = {"module."};
  KeyTree tree;
  tree.renames = {{"in.{rest*}", "in_.{rest*}"}};
  tree.renamed = {"in.w", "in_.w"};
  const KeyMap key_map = Parse(rules, tree);
  ASSERT_THAT(key_map.layouts, SizeIs(2));
  EXPECT_EQ(key_map.layouts[0].name, "original");
  EXPECT_THAT(Texts(key_map.layouts[0].recognise), ElementsAre("in_.w"));
  EXPECT_THAT(key_map.layouts[0].strip, IsEmpty());
  EXPECT_EQ(key_map.layouts[1].name, "published");
  EXPECT_THAT(Texts(key_map.layouts[1].recognise), ElementsAre("in.w"));
  EXPECT_THAT(key_map.layouts[1].strip, ElementsAre("module."));
  ASSERT_THAT(key_map.layouts[1].renames, SizeIs(1));
  EXPECT_EQ(key_map.layouts[1].renames[0].to.text(), "in_.{rest*}");
}

TEST(DraftKeyMapTest, KeysAreTextAndNeverYaml) {
  DraftedRules rules;
  rules.keys = {"a\": [b]\\n#c: &d *e !f - g \\x1b.w"};
  rules.unwrap = {"\"\\"};
  const Layout layout = Parse(rules, {}).layouts[0];
  EXPECT_THAT(Texts(layout.recognise), ElementsAre(rules.keys[0]));
  EXPECT_EQ(layout.unwrap, rules.unwrap);
}

}  // namespace
}  // namespace modelport
