#include "common/keymap/key_pattern.h"

#include <string>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;

// The bindings as "name=value ", or "no match".
std::string Matched(const std::string& pattern, const std::string& key) {
  const auto parsed = KeyPattern::Parse(pattern);
  if (!parsed.ok()) return std::string(parsed.status().message());
  const auto bindings = parsed->Match(key);
  if (!bindings.has_value()) return "no match";
  std::string text;
  for (const auto& [name, value] : *bindings) text += name + "=" + value + " ";
  return text;
}

struct MatchCase {
  std::string pattern;
  std::string key;
  std::string result;
};

class KeyPatternMatchTest : public testing::TestWithParam<MatchCase> {};

TEST_P(KeyPatternMatchTest, Matches) { EXPECT_EQ(Matched(GetParam().pattern, GetParam().key), GetParam().result); }

INSTANTIATE_TEST_SUITE_P(
    All, KeyPatternMatchTest,
    testing::Values(
        MatchCase{"cls_token", "cls_token", ""}, MatchCase{"cls_token", "cls_token2", "no match"},
        MatchCase{"cls_token", "cls", "no match"}, MatchCase{"norm", "norm.weight", "no match"},
        MatchCase{"norm.weight", "norm", "no match"}, MatchCase{"blocks.{b}.w", "blocks.3.w", "b=3 "},
        MatchCase{"blocks.{b}.w", "blocks.w", "no match"}, MatchCase{"blocks.{b}.w", "blocks.3.4.w", "no match"},
        MatchCase{"blocks.{b}.w", "blocks..w", "no match"}, MatchCase{"{a}.{b}", "x.y", "a=x b=y "},
        MatchCase{"{a}", "x.y", "no match"}, MatchCase{"head.{rest*}", "head.a", "rest=a "},
        MatchCase{"head.{rest*}", "head.a.b.c", "rest=a.b.c "}, MatchCase{"head.{rest*}", "head", "no match"},
        MatchCase{"head.{rest*}", "head.", "no match"}, MatchCase{"{all*}", "a.b", "all=a.b "},
        MatchCase{"{path*}.attn.{leaf}", "blocks.0.attn.weight", "leaf=weight path=blocks.0 "},
        MatchCase{"{path*}.attn.{leaf}", "attn.attn.attn.w", "leaf=w path=attn.attn "},
        MatchCase{"{path*}.attn.{leaf}", "attn.w", "no match"}, MatchCase{"{path*}.attn.{leaf}", ".attn.w", "no match"},
        MatchCase{"{path*}.attn.{leaf}", "blocks.0.attn.", "no match"},
        MatchCase{"{path*}.attn.{leaf}", "blocks.0.mlp.w", "no match"},
        MatchCase{"{path*}.attn.{leaf}", "blocks.0.attn.a.b", "no match"},
        MatchCase{"net.{path*}.w", "net.a.b.w", "path=a.b "}, MatchCase{"net.{path*}.w", "net.w", "no match"},
        MatchCase{"net.{path*}.w", "w", "no match"}, MatchCase{"net.{path*}.w", "other.a.w", "no match"},
        MatchCase{"net.{path*}.{leaf}", "net.a.w", "leaf=w path=a "}, MatchCase{"{path*}.w", "", "no match"},
        MatchCase{"{path*}.w", "w", "no match"}));

INSTANTIATE_TEST_SUITE_P(
    Errors, KeyPatternMatchTest,
    testing::Values(MatchCase{"", "", "pattern \"\": has an empty part between dots"},
                    MatchCase{"a..b", "", "pattern \"a..b\": has an empty part between dots"},
                    MatchCase{"a.{b", "", "pattern \"a.{b\": part \"{b\" is neither plain nor {name} nor {name*}"},
                    MatchCase{"a.x{b}", "",
                              "pattern \"a.x{b}\": part \"x{b}\" is neither plain nor {name} nor {name*}"},
                    MatchCase{"a.{}", "", "pattern \"a.{}\": part \"{}\" is neither plain nor {name} nor {name*}"},
                    MatchCase{"{a*}.b.{c*}", "",
                              "pattern \"{a*}.b.{c*}\": a second {name*}; with two, a key could match in several ways"},
                    MatchCase{"{a*}.{a}", "", "pattern \"{a*}.{a}\": {a} occurs twice"},
                    MatchCase{"{a}.{a}", "", "pattern \"{a}.{a}\": {a} occurs twice"}));

TEST(KeyPatternTest, SubstituteUndoesMatch) {
  ASSERT_OK_AND_ASSIGN(const KeyPattern from, KeyPattern::Parse("blocks.{chunk}.{block}.{rest*}"));
  ASSERT_OK_AND_ASSIGN(const KeyPattern to, KeyPattern::Parse("blocks.{block}.{rest*}"));
  const auto bindings = from.Match("blocks.1.7.attn.qkv.weight");
  ASSERT_TRUE(bindings.has_value());
  EXPECT_EQ(from.Substitute(*bindings), "blocks.1.7.attn.qkv.weight");
  EXPECT_EQ(to.Substitute(*bindings), "blocks.7.attn.qkv.weight");
  EXPECT_THAT(from.names(), ElementsAre("chunk", "block", "rest"));
}

TEST(KeyPatternTest, APathInFrontIsSubstituted) {
  ASSERT_OK_AND_ASSIGN(const KeyPattern from, KeyPattern::Parse("{path*}.attention.{leaf}"));
  ASSERT_OK_AND_ASSIGN(const KeyPattern to, KeyPattern::Parse("net.{path*}.attn.{leaf}"));
  const auto bindings = from.Match("encoder.layer.3.attention.weight");
  ASSERT_TRUE(bindings.has_value());
  EXPECT_EQ(to.Substitute(*bindings), "net.encoder.layer.3.attn.weight");
}

}  // namespace
}  // namespace modelport
