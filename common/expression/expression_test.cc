#include "common/expression/expression.h"

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
                                         Case{"-eps", "-0.5"}, Case{"[0.5, 1]", "[0.5, 1.0]"},
                                         Case{"[eps, -eps]", "[0.5, -0.5]"}, Case{"[1e-6]", "[1e-06]"}));

INSTANTIATE_TEST_SUITE_P(Indices, ExpressionTest,
                         testing::Values(Case{"taps[0]", "1"}, Case{"taps[-1]", "2"}, Case{"-taps[1] + 1", "-1"},
                                         Case{"[4, 5, 6][taps[1]]", "6"}, Case{"[0.5, 1][1]", "1.0"},
                                         Case{"2 * (taps)[taps[0] - 1]", "2"}));

INSTANTIATE_TEST_SUITE_P(
    Comparisons, ExpressionTest,
    testing::Values(Case{"dim == 24", "true"}, Case{"dim != 24", "false"}, Case{"1 < 2", "true"},
                    Case{"2 < 2", "false"}, Case{"2 <= 2", "true"}, Case{"3 <= 2", "false"}, Case{"3 > 2", "true"},
                    Case{"2 > 2", "false"}, Case{"2 >= 2", "true"}, Case{"1 >= 2", "false"}, Case{"eps < 1", "true"},
                    Case{"1.0 == 1", "true"}, Case{"9007199254740993 == 9007199254740992.0", "false"},
                    Case{"2 + 1 == 3 * 1", "true"}, Case{"-heads == 2", "true"}, Case{"mode == \"x\"", "true"},
                    Case{"mode != \"y\"", "true"}, Case{"true == false", "false"}, Case{"ffn == Mlp", "true"},
                    Case{"ffn != Mlp", "false"}, Case{"ffn == SwiGLU", "false"}, Case{"taps == [1, 2]", "true"},
                    Case{"taps == [1.0, 2.0]", "true"}, Case{"taps != []", "true"}, Case{"[] == []", "true"}));

INSTANTIATE_TEST_SUITE_P(Logic, ExpressionTest,
                         testing::Values(Case{"not true", "false"}, Case{"not 0", "true"}, Case{"not not 3", "true"},
                                         Case{"not dim == 24", "false"}, Case{"1 and 2", "true"},
                                         Case{"1 and 0", "false"}, Case{"0 or false", "false"},
                                         Case{"0 or dim > 1", "true"}, Case{"1 or 0 and 0", "true"},
                                         Case{"not 1 or 1", "true"}, Case{"(1 or 0) and 0", "false"},
                                         Case{"taps == [] or taps[5] == 1 and 0",
                                              "\"taps == [] or taps[5] == 1 and 0\": "
                                              "index 5 is out of range in [1, 2]"},
                                         Case{"taps != [] or taps[5]", "true"}, Case{"heads > 0 and 1 // 0", "false"},
                                         Case{"nothing", "nothing"},
                                         Case{"[true == true][0]", "\"[true == true][0]\": wants a number, has true"}));

INSTANTIATE_TEST_SUITE_P(
    Choices, ExpressionTest,
    testing::Values(Case{"1 if dim == 24 else 2", "1"}, Case{"1 if 0 else 2", "2"},
                    Case{"[1] if heads > 0 else [2, 3]", "[2, 3]"}, Case{"Mlp if false or 1 else ffn", "Mlp"},
                    Case{"1 if 0 else 2 if 0 else 3", "3"}, Case{"(1 if 1 else 2) + 4", "5"},
                    Case{"[4 if 0 else 5, dim]", "[5, 24]"}, Case{"taps[0 if true else 1]", "1"},
                    Case{"1 if 1 else 1 // 0", "1"}, Case{"1 // 0 if taps == [] else 2", "2"},
                    Case{"1 if eps else 2", "\"1 if eps else 2\": wants an integer, has 0.5"},
                    Case{"1 if dim", "column 9 of \"1 if dim\": wants \"else\", has nothing"},
                    Case{"if dim else 1", "column 1 of \"if dim else 1\": wants a value, has \"if\""}));

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
        Case{"[0.5] + 1", "\"[0.5] + 1\": wants an integer, has [0.5]"},
        Case{"[mode]", "\"[mode]\": wants a number, has \"x\""},
        Case{"[0.5, taps]", "\"[0.5, taps]\": wants a number, has [1, 2]"},
        Case{"taps[2]", "\"taps[2]\": index 2 is out of range in [1, 2]"},
        Case{"taps[-3]", "\"taps[-3]\": index -3 is out of range in [1, 2]"},
        Case{"taps[eps]", "\"taps[eps]\": wants an integer, has 0.5"},
        Case{"dim[0]", "\"dim[0]\": wants a list, has 24"},
        Case{"tap[0]", "\"tap[0]\": unknown name \"tap\"; nearest: taps"},
        Case{"dim == mode", "\"dim == mode\": wants two values of one kind, has 24 and \"x\""},
        Case{"dim == true", "\"dim == true\": wants two values of one kind, has 24 and true"},
        Case{"dim != taps", "\"dim != taps\": wants two values of one kind, has 24 and [1, 2]"},
        Case{"dims == 24", "\"dims == 24\": wants two values of one kind, has dims and 24"},
        Case{"taps < [3]", "\"taps < [3]\": wants two numbers, has [1, 2] and [3]"},
        Case{"mode >= \"a\"", "\"mode >= \"a\"\": wants two numbers, has \"x\" and \"a\""},
        Case{"7 / 2", "\"7 / 2\": 7 / 2 leaves a remainder"}, Case{"-7 / 2", "\"-7 / 2\": -7 / 2 leaves a remainder"},
        Case{"7 / 0", "\"7 / 0\": division by zero"},
        Case{"(-9223372036854775807 - 1) / -1",
             "\"(-9223372036854775807 - 1) / -1\": -9223372036854775808 / -1 does not fit an integer of 64 bits"},
        Case{"not eps", "\"not eps\": wants an integer, has 0.5"},
        Case{"not dims", "\"not dims\": unknown name \"dims\"; nearest: dim"},
        Case{"dims and 1", "\"dims and 1\": unknown name \"dims\"; nearest: dim"}));

INSTANTIATE_TEST_SUITE_P(
    SyntaxErrors, ExpressionTest,
    testing::Values(
        Case{"", "column 1 of \"\": wants a value, has nothing"},
        Case{"4 * dim +", "column 10 of \"4 * dim +\": wants a value, has nothing"},
        Case{"dim heads", "column 5 of \"dim heads\": wants the end, has \"heads\""},
        Case{"(1", "column 3 of \"(1\": wants \")\", has nothing"},
        Case{"[1, 2", "column 6 of \"[1, 2\": wants \"]\", has nothing"},
        Case{"[1,]", "column 4 of \"[1,]\": wants a value, has \"]\""},
        Case{"2 ** 3", "column 4 of \"2 ** 3\": wants a value, has \"*\""},
        Case{"dim % 2", "column 5 of \"dim % 2\": stray character '%'"},
        Case{"1 < dim < 3", "column 9 of \"1 < dim < 3\": wants one comparison, or two joined by \"and\", has \"<\""},
        Case{"taps[0", "column 7 of \"taps[0\": wants \"]\", has nothing"},
        Case{"taps[]", "column 6 of \"taps[]\": wants a value, has \"]\""},
        Case{"1 == not 0", "column 6 of \"1 == not 0\": wants a value, has \"not\""},
        Case{"!dim", "column 1 of \"!dim\": stray character '!'"},
        Case{"1 = 2", "column 3 of \"1 = 2\": wants the end, has \"=\""},
        Case{"f(1)", "column 2 of \"f(1)\": wants the end, has \"(\""},
        Case{"010", "column 1 of \"010\": no valid number: 010"},
        Case{"0x10", "column 1 of \"0x10\": no valid number: 0x10"},
        Case{"1_000", "column 1 of \"1_000\": no valid number: 1_000"},
        Case{"1 + 12px", "column 5 of \"1 + 12px\": no valid number: 12px"},
        Case{"1.2.3", "column 1 of \"1.2.3\": no valid number: 1.2.3"},
        Case{"1e999", "column 1 of \"1e999\": no valid number: 1e999"},
        Case{"9223372036854775808", "column 1 of \"9223372036854775808\": no valid number: 9223372036854775808"},
        Case{"\"open", "column 1 of \"\"open\": a string without its closing quote"}));

TEST(ExpressionSizeTest, DeepNestingIsAnError) {
  for (const std::string piece : {"(", "[", "-", "1+", "not ", "1<(", "1 or ", "a["}) {
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

TEST(ExpressionSizeTest, ALongListIsNotNesting) {
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

TEST(ExpressionNamesTest, NamesAreSortedAndUnique) {
  ASSERT_OK_AND_ASSIGN(const Expression expression, Expression::Parse("b + a * [b, 1] - (c)"));
  EXPECT_THAT(expression.names(), ElementsAre("a", "b", "c"));
}

TEST(ExpressionNamesTest, ComparedNamesAreTheOperandsOfEqualAndNotEqual) {
  ASSERT_OK_AND_ASSIGN(const Expression expression, Expression::Parse("not (d == c or a[b != 1] < e)"));
  EXPECT_THAT(expression.names(), ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_THAT(expression.compared_names(), ElementsAre("b", "c", "d"));
}

TEST(ExpressionTextTest, TheTextOfAnArgumentIsItsOwn) {
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
                                         BindCase{"F(ffn)", "F(ffn)", "ffn=Mlp "},
                                         BindCase{"F(a, b=a != 1)", "F(a=dim)", "a=24 b=true "}));

INSTANTIATE_TEST_SUITE_P(
    Errors, BindArgumentsTest,
    testing::Values(
        BindCase{"F(a)", "F(1, 2)", "F wants 1 arguments, has 2; the signature is F(a)"},
        BindCase{"F(heads)", "F(head=2)", "F has no argument \"head\"; nearest: heads; the signature is F(heads)"},
        BindCase{"F(a)", "F(1, a=2)", "F is given its argument \"a\" twice"},
        BindCase{"F(a)", "F(a=1, a=2)", "F is given its argument \"a\" twice"},
        BindCase{"F(a, b)", "F(1)", "F lacks argument \"b\"; the signature is F(a, b)"},
        BindCase{"F(a, b=2 * a)", "F()", "F lacks argument \"a\"; the signature is F(a, b=2 * a)"},
        BindCase{"F(a)", "F(True)", "column 3 of \"F(True)\": True is Python syntax: write true"},
        BindCase{"F(a)", "F(None)",
                 "column 3 of \"F(None)\": None is Python syntax: there is no null, leave the argument out or "
                 "write 0"},
        BindCase{"F(a=False)", "F()", "column 5 of \"F(a=False)\": False is Python syntax: write false"},
        BindCase{"F(a)", "F(1 // 0)", "argument \"a\" of F: \"1 // 0\": division by zero"},
        BindCase{"F(a, b=a // 0)", "F(1)", "argument \"b\" of F: \"a // 0\": division by zero"},
        BindCase{"F(a, b)", "F(a=1, 2)",
                 "column 8 of \"F(a=1, 2)\": wants NAME=, as the argument before it has one, has \"2\""},
        BindCase{"F(a, a)", "F(1)", "column 6 of \"F(a, a)\": wants a name that no other argument has, has \"a\""},
        BindCase{"F(a=1, b)", "F(1)",
                 "column 9 of \"F(a=1, b)\": wants =DEFAULT, as the argument before it has one, has \")\""},
        BindCase{"F", "F(1)", "column 2 of \"F\": wants \"(\", has nothing"},
        BindCase{"F(not)", "F(1)", "column 3 of \"F(not)\": wants an argument's name, has \"not\""},
        BindCase{"F(1)", "F(1)", "column 3 of \"F(1)\": wants an argument's name, has \"1\""},
        BindCase{"F(a)", "F(1) x", "column 6 of \"F(1) x\": wants the end, has \"x\""},
        BindCase{"F(a)", "3", "column 1 of \"3\": wants a call such as Linear(dim, 4), has \"3\""}));

TEST(BindTest, NamesInScopeBecomeValues) {
  const auto bound = [](const std::string& text) {
    const absl::StatusOr<Expression> expression =
        Expression::Parse(text)->Bind({{"patch", int64_t{14}}, {"dim", int64_t{-2}}, {"on", true}});
    return expression.ok() ? expression->text() : std::string(expression.status().message());
  };
  EXPECT_EQ(bound("H // patch * (W//patch)"), "H // 14 * (W//14)");
  EXPECT_EQ(bound("patch * dim + 1"), "-27");
  EXPECT_EQ(bound("B"), "B");
  EXPECT_EQ(bound("H - dim"), "H - -2");
  EXPECT_EQ(bound("\"patch\" == P"), "\"patch\" == P");
  EXPECT_EQ(bound("on"), "true");
  EXPECT_EQ(bound("patch // 0"), "\"patch // 0\": division by zero");
}

TEST(CallTest, AnArgumentIsReadAsOneOfTheSameKind) {
  const auto read = [](const std::string& text, const Value& now) {
    const absl::StatusOr<Value> value = ReadArgument(text, now);
    return value.ok() ? ValueString(*value) : std::string(value.status().message());
  };
  EXPECT_EQ(read("3", 8.0), "3.0");
  EXPECT_EQ(read("2 * 3", int64_t{1}), "6");
  EXPECT_EQ(read("SwiGLU", TypeName{"Mlp"}), "SwiGLU");
  EXPECT_EQ(read("1.5", int64_t{1}), "wants a value as 1, has 1.5");
  EXPECT_EQ(read("[1]", 8.0), "wants a value as 8.0, has [1]");
}

TEST(CallTest, ATextOfACallHasEachArgumentByItsName) {
  const Signature signature = ParseSignature("Net(dim, block, taps=[1], depth=4)").value();
  const Call call = ParseCall("Net(8, taps=[2, 3], block=Basic)").value();
  EXPECT_EQ(TextOfCall(signature, call, {}), "Net(dim=8, block=Basic, taps=[2, 3])");
  EXPECT_EQ(TextOfCall(signature, call, {{"depth", "5"}, {"dim", "9"}}),
            "Net(dim=9, block=Basic, taps=[2, 3], depth=5)");
}

TEST(ExpressionCallTest, FunctionsAreCalledWithValues) {
  const Functions functions = {
      {"sum",
       [](const std::vector<Value>& arguments) -> absl::StatusOr<Value> {
         int64_t sum = 0;
         for (const Value& argument : arguments) sum += std::get<int64_t>(argument);
         return Value(sum);
       }},
      {"fail", [](const std::vector<Value>&) -> absl::StatusOr<Value> { return absl::NotFoundError("nothing there"); }},
  };
  const Scope scope = {{"dim", Value(int64_t{24})}};
  // The value as text, or the error.
  const auto evaluate = [&](absl::string_view text) {
    const auto expression = Expression::ParseWithCalls(text);
    if (!expression.ok()) return std::string(expression.status().message());
    const auto value = expression->Evaluate(scope, functions);
    return value.ok() ? ValueString(*value) : std::string(value.status().message());
  };
  EXPECT_EQ(evaluate("sum(1, dim, sum()) * 2"), "50");
  EXPECT_EQ(evaluate("[sum(1), 2][0]"), "1");
  EXPECT_EQ(evaluate("fail(dim) + 1"), "\"fail(dim) + 1\": fail: nothing there");
  EXPECT_EQ(evaluate("sun(1)"), "\"sun(1)\": unknown function \"sun\"; nearest: sum");
  EXPECT_EQ(evaluate("sum(dims)"), "\"sum(dims)\": unknown name \"dims\"; nearest: dim");
  EXPECT_EQ(evaluate("sum(1"), "column 6 of \"sum(1\": wants \")\", has nothing");
  ASSERT_OK_AND_ASSIGN(const Expression expression, Expression::ParseWithCalls("sum(dim, fail(heads))"));
  EXPECT_THAT(expression.functions(), testing::ElementsAre("fail", "sum"));
  EXPECT_THAT(expression.names(), testing::ElementsAre("dim", "heads"));
}

// Elsewhere in a plugin a call is a module's.
TEST(ExpressionCallTest, OtherExpressionsCallNothing) {
  EXPECT_THAT(Expression::Parse("sum(1)"),
              StatusIs(absl::StatusCode::kInvalidArgument, "column 4 of \"sum(1)\": wants the end, has \"(\""));
}

}  // namespace
}  // namespace modelport
