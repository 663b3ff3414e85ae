#include "tools/schema/text_patterns.h"

#include <regex>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace modelport {
namespace {

struct Case {
  std::string name;
  std::string pattern;
  std::vector<std::string> good;
  std::vector<std::string> bad;
};

class TextPatternsTest : public testing::TestWithParam<Case> {};

TEST_P(TextPatternsTest, MatchGoodTextsOnly) {
  const std::regex pattern(GetParam().pattern);
  for (const std::string& text : GetParam().good) EXPECT_TRUE(std::regex_search(text, pattern)) << text;
  for (const std::string& text : GetParam().bad) EXPECT_FALSE(std::regex_search(text, pattern)) << text;
}

INSTANTIATE_TEST_SUITE_P(
    All, TextPatternsTest,
    testing::Values(
        Case{"CatalogName",
             CatalogNamePattern(),
             {"a", "2d", "dav2_vits-1.1", std::string(64, 'a')},
             {"", "A", "_a", "../a", "a/b", std::string(65, 'a')}},
        Case{"Member",
             MemberPattern(),
             {"a", "_a1", "resConfUnit1", "training_mode", std::string(64, 'a')},
             {"", "1a", "__a", "a.b", "training", std::string(65, 'a')}},
        Case{"Place",
             PlacePattern(),
             {"model.forward", "da3._a1"},
             {"", "model", "model.", ".forward", "a.b.c", "model.__a", "1a.b", "model forward"}},
        Case{"Path",
             PathPattern(),
             {"a.pth", "DA3-SMALL/model.safetensors", "...", "a/..b"},
             {"", "..", "/a", "a/", "a//b", "a/../b", "./a"}},
        Case{"Expression",
             ExpressionPattern(),
             {"dim", "-dim", "- - 1", "1 + grid*grid", "(a + b) // 2", "a / b", "sizes[-1][0] ", "[]", "[1, [2, 3]]",
              "not not a", "a and not b or c", "ffn == Mlp", "a <= 1e-6", "\"a (text\"", "0.5", "1.", "00.5", "nothing",
              "order"},
             {"", "a +", "+ a", "a b", "010", "1_000", "12px", "a % 2", "a = 1", "\"a", "True", "a is None", "a.b",
              "not", "a and"}},
        Case{"Call",
             CallPattern(),
             {"ReLU()", "F( )", "Conv2d(3, 2 * dim, kernel=1)", " f ([1, 2], x == 1)", "F((a))", "F(a=\"x\", b=[ ])"},
             {"", "F", "F(", "F(a", "F(a,)", "F(a +)", "F(None)", "F() x", "3(a)", "F(a=)"}},
        Case{"Example",
             ExamplePattern(),
             {"forward([1, 3, 28, 42], true, 0.5, \"text\", -1)", "f()", "forward([1], side=64)"},
             {"forward", "forward(x=dim)", "forward(dim)"}},
        Case{"RootExample",
             RootExamplePattern(),
             {"forward([1, 3, 2 * patch, patch], true)", "f()", "forward(dim)"},
             {"forward", "forward(x=[1])"}},
        Case{"Operation",
             OperationPattern(),
             {"concatenate(0)", "chunk(3, 0)", " reshape( -1,588 ) ", "cast(int32, bfloat16)", "cast( uint8,bool)"},
             {"chunk", "chunk()", "chunk(3,)", "chunk(a)", "chunk(dim=0)", "chunk(0", "cast(float)"}},
        Case{"Key",
             KeyPatternPattern(),
             {"a", "cls_token", "blocks.{i}.w", "{path*}.attn.{leaf}", "a b.0"},
             {"", "a.", ".a", "a..b", "a{x}", "{x", "{a*}.x.{b*}", "{}", "{a-b}"}},
        Case{"PatternSet",
             PatternSetPattern(),
             {"a", "{path*}.{leaf}", "layer{1,2}_rn.{leaf}", "conv{1,2.0,2.2}.w"},
             {"", "a.", "a..b", "a{x}", "{x", "{a,}", "{a,b", "{a*}.x.{b*}"}}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace modelport
