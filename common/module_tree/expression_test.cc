#include "common/module_tree/expression.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

Scope TestScope() {
  return {{"dim", int64_t{24}}, {"heads", int64_t{-2}},     {"ffn", TypeName{"Mlp"}},
          {"eps", 0.5},         {"mode", std::string("x")}, {"taps", std::vector<int64_t>{1, 2}}};
}

// The value as text, or the error.
std::string Evaluated(const std::string& text) {
  const auto expression = Expression::Parse(text);
  if (!expression.ok()) return std::string(expression.status().message());
  const auto value = expression->Evaluate(TestScope());
  return value.ok() ? ValueString(*value) : std::string(value.status().message());
}

struct Case {
  std::string text;
  std::string result;
};

class ExpressionTest : public testing::TestWithParam<Case> {};

TEST_P(ExpressionTest, Evaluates) { EXPECT_EQ(Evaluated(GetParam().text), GetParam().result); }

INSTANTIATE_TEST_SUITE_P(Values, ExpressionTest,
                         testing::Values(Case{"0", "0"}, Case{" 14 ", "14"}, Case{"1e-6", "1e-06"},
                                         Case{"20.0", "20.0"}, Case{"-0.5", "-0.5"}, Case{"true", "true"},
                                         Case{"false", "false"}, Case{"\"a b\"", "\"a b\""}, Case{"[]", "[]"},
                                         Case{"[1, dim, -heads]", "[1, 24, 2]"}, Case{"dim", "24"}, Case{"ffn", "Mlp"},
                                         Case{"Mlp", "Mlp"}, Case{"mode", "\"x\""}, Case{"taps", "[1, 2]"},
                                         Case{"-eps", "-0.5"}));

INSTANTIATE_TEST_SUITE_P(Arithmetic, ExpressionTest,
                         testing::Values(Case{"1 + 2 * 3", "7"}, Case{"(1 + 2) * 3", "9"}, Case{"10 - 3 - 2", "5"},
                                         Case{"100 // 7 // 2", "7"}, Case{"2 * dim // 5", "9"}, Case{"--3", "3"},
                                         Case{"7 // 2", "3"}, Case{"-7 // 2", "-4"}, Case{"7 // -2", "-4"},
                                         Case{"-7 // -2", "3"}, Case{"-6 // 2", "-3"}, Case{"1 + -1", "0"},
                                         Case{"9223372036854775807", "9223372036854775807"}));

INSTANTIATE_TEST_SUITE_P(
    EvaluationErrors, ExpressionTest,
    testing::Values(
        Case{"1 // 0", "\"1 // 0\": division by zero"},
        Case{"9223372036854775807 + 1",
             "\"9223372036854775807 + 1\": 9223372036854775807 + 1 does not fit an integer of 64 bits"},
        Case{"heads - 9223372036854775807",
             "\"heads - 9223372036854775807\": -2 - 9223372036854775807 does not fit an integer of 64 bits"},
        Case{"4000000000 * (4000000000 + 1)",
             "\"4000000000 * (4000000000 + 1)\": 4000000000 * 4000000001 does not fit an integer of 64 bits"},
        Case{"(-9223372036854775807 - 1) // -1",
             "\"(-9223372036854775807 - 1) // -1\": -9223372036854775808 // -1 does not fit an integer of 64 bits"},
        Case{"-(-9223372036854775807 - 1)",
             "\"-(-9223372036854775807 - 1)\": 0 - -9223372036854775808 does not fit an integer of 64 bits"},
        Case{"dims + 1", "\"dims + 1\": unknown name \"dims\"; nearest: dim"},
        Case{"eps * 2", "\"eps * 2\": wants an integer, has 0.5"},
        Case{"true + 1", "\"true + 1\": wants an integer, has true"},
        Case{"ffn + 1", "\"ffn + 1\": wants an integer, has Mlp"},
        Case{"mode + 1", "\"mode + 1\": wants an integer, has \"x\""},
        Case{"[dims]", "\"[dims]\": unknown name \"dims\"; nearest: dim"},
        Case{"[0.5]", "\"[0.5]\": wants an integer, has 0.5"}));

INSTANTIATE_TEST_SUITE_P(
    SyntaxErrors, ExpressionTest,
    testing::Values(Case{"", "column 1 of \"\": wants a value, has nothing"},
                    Case{"4 * dim +", "column 10 of \"4 * dim +\": wants a value, has nothing"},
                    Case{"dim heads", "column 5 of \"dim heads\": wants the end, has \"heads\""},
                    Case{"(1", "column 3 of \"(1\": wants \")\", has nothing"},
                    Case{"[1, 2", "column 6 of \"[1, 2\": wants \"]\", has nothing"},
                    Case{"[1,]", "column 4 of \"[1,]\": wants a value, has \"]\""},
                    Case{"7 / 2", "column 3 of \"7 / 2\": stray character '/'"},
                    Case{"2 ** 3", "column 4 of \"2 ** 3\": wants a value, has \"*\""},
                    Case{"dim % 2", "column 5 of \"dim % 2\": stray character '%'"},
                    Case{"f(1)", "column 2 of \"f(1)\": wants the end, has \"(\""},
                    Case{"010", "column 1 of \"010\": no valid number: 010"},
                    Case{"0x10", "column 1 of \"0x10\": no valid number: 0x10"},
                    Case{"1_000", "column 1 of \"1_000\": no valid number: 1_000"},
                    Case{"1 + 12px", "column 5 of \"1 + 12px\": no valid number: 12px"},
                    Case{"1.2.3", "column 1 of \"1.2.3\": no valid number: 1.2.3"},
                    Case{"1e999", "column 1 of \"1e999\": no valid number: 1e999"},
                    Case{"9223372036854775808",
                         "column 1 of \"9223372036854775808\": no valid number: 9223372036854775808"},
                    Case{"\"open", "column 1 of \"\"open\": a string without its closing quote"}));

TEST(ExpressionSizeTest, DeepNestingIsAnErrorAndNoCrash) {
  for (const std::string piece : {"(", "[", "-", "1+"}) {
    std::string text;
    for (int i = 0; i < 150; ++i) text += piece;
    EXPECT_THAT(Expression::Parse(text + "1"), StatusIs(kInvalid, HasSubstr("wants at most 100"))) << piece;
  }
}

TEST(ExpressionSizeTest, ALongTextIsAnError) {
  EXPECT_THAT(
      Expression::Parse(std::string(100000, '(')),
      StatusIs(kInvalid, absl::StrCat("\"", std::string(200, '('), "...\" has 100000 characters, wants at most 1000")));
  EXPECT_OK(Expression::Parse(std::string(1000, 'a')));
}

TEST(ExpressionSizeTest, ManyItemsOfAListAreNoNesting) {
  std::string text = "[0";
  for (int i = 0; i < 150; ++i) absl::StrAppend(&text, ",(", i, ")");
  EXPECT_OK(Expression::Parse(text + "]"));
}

TEST(ExpressionSizeTest, TooManyArgumentsAreAnError) {
  std::string names = "a0";
  for (int i = 1; i < 100; ++i) absl::StrAppend(&names, ",a", i);
  EXPECT_OK(ParseSignature(absl::StrCat("F(", names, ")")));
  EXPECT_OK(ParseCall(absl::StrCat("F(", names, ")")));
  EXPECT_THAT(ParseSignature(absl::StrCat("F(", names, ",b)")),
              StatusIs(kInvalid, HasSubstr("wants at most 100 arguments, has \"b\"")));
  EXPECT_THAT(ParseCall(absl::StrCat("F(", names, ",b=1)")),
              StatusIs(kInvalid, HasSubstr("wants at most 100 arguments, has \"b\"")));
}

TEST(ExpressionNamesTest, AreSortedAndUnique) {
  ASSERT_OK_AND_ASSIGN(const Expression expression, Expression::Parse("b + a * [b, 1] - (c)"));
  EXPECT_THAT(expression.names(), ElementsAre("a", "b", "c"));
}

TEST(ExpressionTextTest, IsThatOfTheArgumentAlone) {
  ASSERT_OK_AND_ASSIGN(const Call call, ParseCall(" Block(4 * dim , ffn = [1, 2] ) "));
  EXPECT_EQ(call.text, "Block(4 * dim , ffn = [1, 2] )");
  EXPECT_EQ(call.type, "Block");
  EXPECT_EQ(call.positional[0].text(), "4 * dim");
  EXPECT_EQ(call.named[0].first, "ffn");
  EXPECT_EQ(call.named[0].second.text(), "[1, 2]");
}

// The scope of the callee as text, or the error.
std::string Bound(const std::string& signature, const std::string& call) {
  const auto callee = ParseSignature(signature);
  if (!callee.ok()) return std::string(callee.status().message());
  const auto parsed = ParseCall(call);
  if (!parsed.ok()) return std::string(parsed.status().message());
  const auto scope = BindArguments(*callee, *parsed, TestScope());
  if (!scope.ok()) return std::string(scope.status().message());
  std::string text;
  for (const auto& [name, value] : *scope) absl::StrAppend(&text, name, "=", ValueString(value), " ");
  return text;
}

struct BindCase {
  std::string signature;
  std::string call;
  std::string result;
};

class BindArgumentsTest : public testing::TestWithParam<BindCase> {};

TEST_P(BindArgumentsTest, Binds) { EXPECT_EQ(Bound(GetParam().signature, GetParam().call), GetParam().result); }

INSTANTIATE_TEST_SUITE_P(Scopes, BindArgumentsTest,
                         testing::Values(BindCase{"F()", "F()", ""}, BindCase{"F(a, b)", "F(1, b=2)", "a=1 b=2 "},
                                         BindCase{"F(a, b)", "F(b=2, a=dim)", "a=24 b=2 "},
                                         BindCase{"F(a, b=3)", "F(1)", "a=1 b=3 "},
                                         BindCase{"F(dim, hidden=4 * dim)", "F(2)", "dim=2 hidden=8 "},
                                         BindCase{"F(dim, hidden=4 * dim)", "F(2, hidden=dim)", "dim=2 hidden=24 "},
                                         BindCase{"F(ffn=Mlp)", "F(SwiGLU)", "ffn=SwiGLU "},
                                         BindCase{"F(ffn)", "F(ffn)", "ffn=Mlp "}));

INSTANTIATE_TEST_SUITE_P(
    Errors, BindArgumentsTest,
    testing::Values(BindCase{"F(a)", "F(1, 2)", "F wants 1 arguments, has 2; the signature is F(a)"},
                    BindCase{"F(heads)", "F(head=2)",
                             "F has no argument \"head\"; nearest: heads; the signature is F(heads)"},
                    BindCase{"F(a)", "F(1, a=2)", "F is given its argument \"a\" twice"},
                    BindCase{"F(a)", "F(a=1, a=2)", "F is given its argument \"a\" twice"},
                    BindCase{"F(a, b)", "F(1)", "F misses its argument \"b\"; the signature is F(a, b)"},
                    BindCase{"F(a, b=2 * a)", "F()", "F misses its argument \"a\"; the signature is F(a, b=2 * a)"},
                    BindCase{"F(a)", "F(True)", "column 3 of \"F(True)\": True is Python's: write true"},
                    BindCase{"F(a)", "F(None)",
                             "column 3 of \"F(None)\": None is Python's: there is no null, leave the argument out or "
                             "write 0"},
                    BindCase{"F(a=False)", "F()", "column 5 of \"F(a=False)\": False is Python's: write false"},
                    BindCase{"F(a)", "F(1 // 0)", "argument \"a\" of F: \"1 // 0\": division by zero"},
                    BindCase{"F(a, b=a // 0)", "F(1)", "argument \"b\" of F: \"a // 0\": division by zero"},
                    BindCase{"F(a, b)", "F(a=1, 2)",
                             "column 8 of \"F(a=1, 2)\": wants NAME=, as the argument before it has one, has \"2\""},
                    BindCase{"F(a, a)", "F(1)", "column 6 of \"F(a, a)\": wants a name of its own, has \"a\""},
                    BindCase{"F(a=1, b)", "F(1)",
                             "column 9 of \"F(a=1, b)\": wants =DEFAULT, as the argument before it has one, has \")\""},
                    BindCase{"F", "F(1)", "column 2 of \"F\": wants \"(\", has nothing"},
                    BindCase{"F(1)", "F(1)", "column 3 of \"F(1)\": wants an argument's name, has \"1\""},
                    BindCase{"F(a)", "F(1) x", "column 6 of \"F(1) x\": wants the end, has \"x\""},
                    BindCase{"F(a)", "3", "column 1 of \"3\": wants a call such as Linear(dim, 4), has \"3\""}));

}  // namespace
}  // namespace modelport
