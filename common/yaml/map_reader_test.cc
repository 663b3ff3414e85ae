#include "common/yaml/map_reader.h"

#include <string>

#include "common/status/status_matchers.h"
#include "common/yaml/parse.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(YamlMapReaderTest, TakesFieldsOfEveryKind) {
  YamlProblems problems("a.yaml");
  const YamlValue value =
      ParseYaml({"a.yaml",
                 "text: a b\ntexts: [a, b]\nnumbers: [1, -0.5, 1e-6]\nyes: true\nint: -14\nmap: {x: 1}\n"
                 "half: 0.5\nno: false\n"},
                &problems);
  YamlMapReader reader(value, "a thing", &problems);
  EXPECT_EQ(reader.RequireText("text"), "a b");
  EXPECT_THAT(reader.TakeTexts("texts"), ElementsAre("a", "b"));
  EXPECT_THAT(reader.TakeNumbers("numbers"), ElementsAre(1, -0.5, 1e-6));
  EXPECT_TRUE(reader.TakeBool("yes", false));
  EXPECT_EQ(reader.TakeInt("int", 0), -14);
  EXPECT_EQ(reader.TakeFields("map")[0].name, "x");
  using Number = std::variant<int64_t, double>;
  EXPECT_THAT(reader.TakeNumberOrNumbers("int"), ElementsAre(Number(int64_t{-14})));
  EXPECT_THAT(reader.TakeNumberOrNumbers("half"), ElementsAre(Number(0.5)));
  EXPECT_THAT(reader.TakeNumberOrNumbers("yes"), ElementsAre(Number(int64_t{1})));
  EXPECT_THAT(reader.TakeNumberOrNumbers("no"), ElementsAre(Number(int64_t{0})));
  EXPECT_THAT(reader.TakeNumberOrNumbers("absent"), ElementsAre(Number(int64_t{0})));
  EXPECT_THAT(reader.TakeNumberOrNumbers("numbers"), ElementsAre(Number(int64_t{1}), Number(-0.5), Number(1e-6)));
  reader.Finish();
  EXPECT_OK(problems.status());
}

TEST(YamlMapReaderTest, AbsentFieldsTakeTheirFallbacks) {
  YamlProblems problems("a.yaml");
  const YamlValue value = ParseYaml({"a.yaml", "{}"}, &problems);
  YamlMapReader reader(value, "a thing", &problems);
  EXPECT_EQ(reader.TakeText("text"), "");
  EXPECT_THAT(reader.TakeTexts("texts"), IsEmpty());
  EXPECT_TRUE(reader.TakeBool("bool", true));
  EXPECT_EQ(reader.TakeInt("int", 7), 7);
  EXPECT_THAT(reader.TakeItems("items"), IsEmpty());
  EXPECT_EQ(reader.Take("any"), nullptr);
  reader.Finish();
  EXPECT_OK(problems.status());
}

struct ErrorCase {
  std::string name;
  std::string text;
  std::string error;  // Without "a.yaml:".
};

class YamlMapReaderErrorTest : public testing::TestWithParam<ErrorCase> {};

TEST_P(YamlMapReaderErrorTest, IsReported) {
  YamlProblems problems("a.yaml");
  const YamlValue value = ParseYaml({"a.yaml", GetParam().text}, &problems);
  YamlMapReader reader(value, "variant v", &problems);
  reader.RequireText("file");
  reader.TakeText("summary");
  reader.TakeBool("published", true);
  reader.TakeInt("size", 1);
  reader.TakeItems("items");
  reader.TakeTexts("texts");
  reader.TakeNumberOrNumbers("value");
  if (value.kind == YamlValue::Kind::kMap && value.fields[0].name == "mean") reader.TakeNumbers("mean");
  reader.Finish();
  EXPECT_THAT(problems.status(), StatusIs(absl::StatusCode::kInvalidArgument, "a.yaml:" + GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    All, YamlMapReaderErrorTest,
    testing::Values(
        ErrorCase{"Missing", "summary: x", "1:1: missing field \"file\" in variant v"},
        ErrorCase{"UnknownNear", "file: x\nsumary: y", "2:1: unknown field \"sumary\" in variant v; nearest: summary"},
        ErrorCase{"UnknownFar", "file: x\nq: y",
                  "2:1: unknown field \"q\" in variant v; known: file, summary, published, size, items, +2 more"},
        ErrorCase{"ListForText", "file: [x]", "1:7: field \"file\" wants text, has a list"},
        ErrorCase{"NothingForText", "summary: x\nfile:", "2:1: field \"file\" wants text, has nothing"},
        ErrorCase{"EmptyText", "file: ''", "1:7: field \"file\" wants text, has \"\""},
        ErrorCase{"YesForTrue", "file: x\npublished: yes",
                  "2:12: field \"published\" wants true or false, has \"yes\""},
        ErrorCase{"QuotedTrue", "file: x\npublished: 'true'",
                  "2:12: field \"published\" wants true or false, has \"true\""},
        ErrorCase{"HexadecimalValue", "file: x\nvalue: 0x10",
                  "2:8: field \"value\" wants a number, true or false, has \"0x10\""},
        ErrorCase{"QuotedValue", "file: x\nvalue: 'true'",
                  "2:8: field \"value\" wants a number, true or false, has \"true\""},
        ErrorCase{"OctalNumber", "file: x\nsize: 010", "2:7: field \"size\" wants a decimal integer, has \"010\""},
        ErrorCase{"HexNumber", "file: x\nsize: 0x10", "2:7: field \"size\" wants a decimal integer, has \"0x10\""},
        ErrorCase{"HugeNumber", "file: x\nsize: 9223372036854775808",
                  "2:7: field \"size\" wants a decimal integer, has \"9223372036854775808\""},
        ErrorCase{"FractionForInteger", "file: x\nsize: 1.0",
                  "2:7: field \"size\" wants a decimal integer, has \"1.0\""},
        ErrorCase{"MapForList", "file: x\nitems: {}", "2:8: field \"items\" wants a list, has a map"},
        ErrorCase{"ListForItem", "file: x\ntexts: [[]]", "2:9: an item of field \"texts\" wants text, has a list"},
        ErrorCase{"InfiniteNumber", "mean: [.inf]\nfile: x",
                  "1:8: an item of field \"mean\" wants a number, has \".inf\""},
        ErrorCase{"NumberTooLarge", "mean: [1e999]\nfile: x",
                  "1:8: an item of field \"mean\" wants a number, has \"1e999\""},
        ErrorCase{"AliasForText", "file: &x a\nsummary: *x",
                  " 2 problems\n  a.yaml:1:7: anchors are not allowed\n"
                  "  a.yaml:2:10: aliases are not allowed; write the value again"},
        ErrorCase{"NotYaml", "file: [\n", "2:1: not valid YAML: end of sequence flow not found"},
        ErrorCase{"ListForMap", "[]", "1:1: variant v wants a map, has a list"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace modelport
