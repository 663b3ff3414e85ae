#include "common/yaml/parse.h"

#include <string>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using Kind = YamlValue::Kind;

YamlValue Parse(const std::string& text) {
  YamlProblems problems("a.yaml");
  YamlValue value = ParseYaml({"a.yaml", text}, &problems);
  EXPECT_OK(problems.status()) << text;
  return value;
}

TEST(ParseYamlTest, KeepsFieldsInFileOrderWithTheirPlaces) {
  const YamlValue value = Parse("b: [1, two]\na:\n  c: {}\nd:\n");
  ASSERT_EQ(value.kind, Kind::kMap);
  ASSERT_EQ(value.fields.size(), 3);
  EXPECT_EQ(value.fields[0].name, "b");
  EXPECT_EQ(value.fields[0].value.items[1].text, "two");
  EXPECT_EQ(MarkString(value.fields[0].value.items[1].mark), "a.yaml:1:8");
  EXPECT_EQ(value.fields[1].value.fields[0].value.kind, Kind::kMap);
  EXPECT_EQ(MarkString(value.fields[1].value.fields[0].mark), "a.yaml:3:3");
  EXPECT_EQ(value.fields[2].value.kind, Kind::kNothing);
}

TEST(ParseYamlTest, ScalarsAreText) {
  const YamlValue value = Parse("[010, yes, 0x10, 1_000, '3', \"true\", 12:30]");
  std::string texts;
  for (const YamlValue& item : value.items) texts += item.text + (item.plain ? " " : "! ");
  EXPECT_EQ(texts, "010 yes 0x10 1_000 3! true! 12:30 ");
}

TEST(ParseYamlTest, ABlockKnowsTheLineOfItsFirstText) {
  const YamlValue value =
      Parse("a: |\n  one\n  two\nb: |  # note\n\n  blank line first\nc: >\n  folded\nd: '|'\ne: plain\n");
  EXPECT_EQ(value.fields[0].value.text, "one\ntwo\n");
  EXPECT_EQ(value.fields[0].value.block_line, 2);
  EXPECT_EQ(value.fields[1].value.text, "\nblank line first\n");
  EXPECT_EQ(value.fields[1].value.block_line, 5);
  for (int i = 2; i < 5; ++i) EXPECT_EQ(value.fields[i].value.block_line, 0) << value.fields[i].name;
}

TEST(ParseYamlTest, ABlockAfterTextThatIsNotAsciiKnowsItsLine) {
  EXPECT_EQ(Parse("a: µ\nb: |\n  text\n").fields[1].value.block_line, 3);
}

TEST(ParseYamlTest, AnEmptyFileIsNothing) {
  EXPECT_EQ(Parse("").kind, Kind::kNothing);
  EXPECT_EQ(Parse("# only a comment\n").kind, Kind::kNothing);
}

struct ParseErrorCase {
  std::string name;
  std::string text;
  std::string error;
};

class ParseYamlErrorTest : public testing::TestWithParam<ParseErrorCase> {};

TEST_P(ParseYamlErrorTest, IsReported) {
  YamlProblems problems("a.yaml");
  ParseYaml({"a.yaml", GetParam().text}, &problems);
  EXPECT_THAT(problems.status(), StatusIs(absl::StatusCode::kInvalidArgument, GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    All, ParseYamlErrorTest,
    testing::Values(
        ParseErrorCase{"DuplicateField", "a: 1\nb: 2\na: 3\n",
                       "a.yaml:3:1: duplicate field \"a\"; the first is on line 1"},
        ParseErrorCase{"DuplicateFieldInQuotes", "{a: 1, \"a\": 2}",
                       "a.yaml:1:8: duplicate field \"a\"; the first is on line 1"},
        ParseErrorCase{"Anchor", "a: &x 1\n", "a.yaml:1:4: anchors are not allowed"},
        ParseErrorCase{"Alias", "a: &x 1\nb: *x\n",
                       "a.yaml: 2 problems\n  a.yaml:1:4: anchors are not allowed\n"
                       "  a.yaml:2:4: aliases are not allowed; write the value again"},
        ParseErrorCase{"MergeKey", "a: {<<: {b: 1}}\n", "a.yaml:1:5: merge keys are not allowed"},
        ParseErrorCase{"Tag", "a: !!int 3\n", "a.yaml:1:4: tags are not allowed: tag:yaml.org,2002:int"},
        ParseErrorCase{"ListAsName", "? [a]\n: 1\n", "a.yaml:1:3: a field's name must be text"},
        ParseErrorCase{"NothingAsName", "~: 1\n", "a.yaml:1:1: a field's name must be text"},
        ParseErrorCase{"SecondDocument", "a: 1\n---\nb: 1\n", "a.yaml:3:1: a second document; a file holds one"},
        ParseErrorCase{"NotUtf8", "a: \xff\n", "a.yaml:1:1: the file is not UTF-8; save it as UTF-8"},
        ParseErrorCase{"ControlCharacter",
                       "a: 1\nb: \x04"
                       "c: 2\n",
                       "a.yaml:2:4: control character 0x04; take it out"},
        ParseErrorCase{"Nul", std::string("a: 1\0b: 2", 9), "a.yaml:1:5: control character 0x00; take it out"},
        ParseErrorCase{"ControlCharacterInAComment", "# \x1b[2J\na: 1\n",
                       "a.yaml:1:3: control character 0x1b; take it out"},
        ParseErrorCase{"EscapedControlCharacter", "a: \"b\\x1b[2J\"\n",
                       "a.yaml:1:4: control character 0x1b; take it out"},
        ParseErrorCase{"TooLarge", std::string(kMaxYamlSize + 1, '#'),
                       "a.yaml:1:1: the file has more than 1048576 bytes; split it"},
        ParseErrorCase{"UnclosedList", "a: [1, 2\n", "a.yaml:2:1: not valid YAML: end of sequence flow not found"},
        ParseErrorCase{"UnknownAlias", "a: *x\n", "a.yaml:1:4: not valid YAML: the referenced anchor is not defined"},
        ParseErrorCase{"BarePattern", "a:\n  - {key: head.{rest*}, reason: x}\n",
                       "a.yaml:2:16: not valid YAML: a pattern with braces stands in quotes, such as \"head.{rest*}\""},
        ParseErrorCase{"ByteOrderMark",
                       "\xEF\xBB\xBF"
                       "a: 1\n",
                       "a.yaml:1:1: the file begins with a byte order mark; save it as UTF-8 without one"},
        ParseErrorCase{"Tab", "a:\n\t- 1\n", "a.yaml:2:2: not valid YAML: a tab in the indentation; use spaces"},
        ParseErrorCase{
            "FieldOfNoMap", "a:\n    b: 1\n  c: 2\n",
            "a.yaml:3:3: not valid YAML: this is not a field of the map above: fields start in the same column and "
            "have a \":\""},
        ParseErrorCase{
            "FieldTooDeep", "a: 1\n  b: 2\n",
            "a.yaml:2:4: not valid YAML: no field begins here: start it in the column of the fields around it, "
            "or quote text that has \": \" in it"},
        ParseErrorCase{"TorchScriptWithoutABlock", "methods:\n  def f(self, x: int) -> int:\n    return x\n",
                       "a.yaml:2:29: not valid YAML: TorchScript must be a block: write \"|\" after the name of its "
                       "field"},
        ParseErrorCase{"FieldsNotIndented", "a:\n  b:\n  c: 1\n  d: 2\n  c: 3\n",
                       "a.yaml:2:3: \"b\" has no value: write it after the name, or below it and indented deeper"},
        ParseErrorCase{
            "CallInBraces", "{a: f(1, x, y=2), b: 1}",
            "a.yaml:1:5: quote the call \"f(1, ...\": in braces and brackets a comma ends text without quotes"},
        ParseErrorCase{
            "CallInBrackets", "a: [f(1, g(2, 3), 4), 5]",
            "a.yaml:1:5: quote the call \"f(1, ...\": in braces and brackets a comma ends text without quotes"},
        ParseErrorCase{
            "CallAsNameInBraces", "{f(1, 2): x, b: 1}",
            "a.yaml:1:2: quote the call \"f(1, ...\": in braces and brackets a comma ends text without quotes"}),
    [](const auto& info) { return info.param.name; });

TEST(ParseYamlTest, FieldsBesideACallInBracesAreKept) {
  YamlProblems problems("a.yaml");
  const YamlValue value = ParseYaml({"a.yaml", "{a: f(1, x, y=2), b: 1, b: 2, c: \"f(1, 2)\", d: f(1)}"}, &problems);
  EXPECT_EQ(problems.size(), 2);  // The call, and the second b.
  ASSERT_EQ(value.fields.size(), 4);
  EXPECT_EQ(value.fields[0].value.kind, Kind::kInvalid);
  EXPECT_EQ(value.fields[1].value.text, "1");
  EXPECT_EQ(value.fields[2].value.text, "f(1, 2)");
  EXPECT_EQ(value.fields[3].value.text, "f(1)");
}

TEST(ParseYamlTest, DeepNestingIsAnErrorAndDoesNotCrash) {
  for (const std::string& opening : {std::string("["), std::string("{a: "), std::string("- ")}) {
    std::string text;
    for (int i = 0; i < 100000; ++i) text += opening;
    YamlProblems problems("a.yaml");
    EXPECT_EQ(ParseYaml({"a.yaml", text}, &problems).kind, Kind::kInvalid);
    EXPECT_THAT(problems.status(), StatusIs(absl::StatusCode::kInvalidArgument,
                                            testing::EndsWith(": not valid YAML: more than 50 levels")));
  }
  EXPECT_EQ(Parse(std::string(50, '[') + std::string(50, ']')).kind, Kind::kList);
}

TEST(ParseYamlTest, LineEndsOfWindowsAreLineEnds) {
  const YamlValue value = Parse("a: |\r\n  one\r\n  two\r\nb: 1\r\n");
  EXPECT_EQ(value.fields[0].value.text, "one\ntwo\n");
  EXPECT_EQ(value.fields[0].value.block_line, 2);
  EXPECT_EQ(value.fields[1].value.text, "1");
}

}  // namespace
}  // namespace modelport
