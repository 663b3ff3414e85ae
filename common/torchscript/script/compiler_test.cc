#include "common/torchscript/script/compiler.h"

#include <torch/csrc/jit/frontend/source_range.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/script/ivalue.h"
#include "common/torchscript/script/torch_status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::HasSubstr;

absl::Status Check(const std::string& text) {
  return CatchTorch([&] { CheckNesting(std::make_shared<torch::jit::Source>(text, "toy.yaml", 1)); });
}

std::string Repeat(const std::string& text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

std::string InFunction(const std::string& body) { return absl::StrCat("def f(x: Tensor):\n", body, "\n"); }

std::string Ifs(int count) {
  std::string body;
  for (int i = 0; i < count; ++i) absl::StrAppend(&body, std::string(2 + i, ' '), "if x:\n");
  return absl::StrCat(body, std::string(2 + count, ' '), "pass");
}

// A text that nests something `count` times.
struct Shape {
  std::string name;
  std::string (*text)(int count);
};

class NestingTest : public testing::TestWithParam<Shape> {};

TEST_P(NestingTest, IsBounded) {
  EXPECT_OK(Check(GetParam().text(kMaxNesting / 4)));
  for (const int count : {kMaxNesting + 1, 100000}) {
    if (GetParam().name == "Ifs" && count > 1000) continue;  // Indentation grows with the square of `count`.
    EXPECT_THAT(Check(GetParam().text(count)),
                StatusIs(absl::StatusCode::kInternal, HasSubstr("nested more than 200 levels deep")))
        << count;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, NestingTest,
    testing::Values(
        Shape{"Parentheses",
              [](int n) { return InFunction(absl::StrCat("  return ", Repeat("(", n), "x", Repeat(")", n))); }},
        Shape{"OpenParentheses", [](int n) { return InFunction(absl::StrCat("  return ", Repeat("(", n))); }},
        Shape{"Lists",
              [](int n) { return InFunction(absl::StrCat("  return ", Repeat("[", n), "x", Repeat("]", n))); }},
        Shape{"Dictionaries",
              [](int n) { return InFunction(absl::StrCat("  return ", Repeat("{1: ", n), "x", Repeat("}", n))); }},
        Shape{
            "Types",
            [](int n) { return absl::StrCat("def f(x: ", Repeat("List[", n), "int", Repeat("]", n), "):\n  pass\n"); }},
        Shape{"Minus", [](int n) { return InFunction(absl::StrCat("  return ", Repeat("-", n), "x")); }},
        Shape{"Not", [](int n) { return InFunction(absl::StrCat("  return ", Repeat("not ", n), "x")); }},
        Shape{"Sum", [](int n) { return InFunction(absl::StrCat("  return x", Repeat(" + x", n))); }},
        Shape{"Power", [](int n) { return InFunction(absl::StrCat("  return x", Repeat(" ** x", n))); }},
        Shape{"And", [](int n) { return InFunction(absl::StrCat("  return x", Repeat(" and x", n))); }},
        Shape{"Calls", [](int n) { return InFunction(absl::StrCat("  return x", Repeat("()", n))); }},
        Shape{"Methods", [](int n) { return InFunction(absl::StrCat("  return x", Repeat(".t", n))); }},
        Shape{"Subscripts", [](int n) { return InFunction(absl::StrCat("  return x", Repeat("[0]", n))); }},
        Shape{"Conditions",
              [](int n) { return InFunction(absl::StrCat("  return ", Repeat("x if x else ", n), "x")); }},
        Shape{"Comprehensions",
              [](int n) {
                return InFunction(absl::StrCat("  return ", Repeat("[", n), "x", Repeat(" for y in x]", n)));
              }},
        Shape{
            "Elifs",
            [](int n) { return InFunction(absl::StrCat("  if x:\n    pass\n", Repeat("  elif x:\n    pass\n", n))); }},
        Shape{"Ifs", [](int n) { return InFunction(Ifs(n)); }}),
    [](const auto& info) { return info.param.name; });

TEST(CheckNestingTest, WhatStandsSideBySideIsNotNested) {
  const int many = 10000;
  EXPECT_OK(Check(InFunction(absl::StrCat("  return [", Repeat("f(x + 1), ", many), "]"))));
  EXPECT_OK(Check(InFunction(absl::StrCat("  return f(", Repeat("(x), ", many), "x)"))));
  EXPECT_OK(Check(InFunction(Repeat("  x = -f(x)\n", many))));
  EXPECT_OK(Check(InFunction(Repeat("  if x:\n    pass\n  elif x:\n    pass\n", many))));
  EXPECT_OK(Check(Repeat("def f(x):\n  return (x)\n", many)));
}

TEST(CheckNestingTest, OperationsOnADeepPartAddToItsDepth) {
  const std::string deep = absl::StrCat(Repeat("(", 120), "x, y", Repeat(")", 120), Repeat(".t", 120));
  EXPECT_THAT(Check(InFunction("  return " + deep)), StatusIs(absl::StatusCode::kInternal, HasSubstr("200 levels")));
}

TEST(CheckNestingTest, TheErrorNamesTheLine) {
  EXPECT_THAT(Check(InFunction(absl::StrCat("  x = 1\n  return ", Repeat("-", 300), "x"))),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("File \"toy.yaml\", line 3")));
}

TEST(CheckNestingTest, TextThatIsNoCodeIsLeftToTheParser) {
  for (const char* text : {"", ")", "]]]", "def", "  x\n y\n"}) Check(text).IgnoreError();
}

TEST(ToIValueTest, EachKindOfValueHasItsTorchScriptType) {
  EXPECT_EQ(ToIValue(int64_t{3}).toInt(), 3);
  EXPECT_EQ(ToIValue(0.5).toDouble(), 0.5);
  EXPECT_TRUE(ToIValue(true).isBool());
  EXPECT_EQ(ToIValue(std::string("x")).toStringRef(), "x");
  EXPECT_EQ(ToIValue(std::vector<int64_t>{1, 2}).toIntVector(), std::vector<int64_t>({1, 2}));
  EXPECT_EQ(ToIValue(std::vector<double>{0.5}).toDoubleVector(), std::vector<double>({0.5}));
}

TEST(ToIValueTest, ATypeNameBecomesAString) { EXPECT_EQ(ToIValue(TypeName{"Mlp"}).toStringRef(), "Mlp"); }

}  // namespace
}  // namespace modelport
