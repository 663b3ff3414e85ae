#include "common/keymap/conversion.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/status/status_matchers.h"
#include "common/yaml/document.h"
#include "common/yaml/parse.h"
#include "common/yaml/problems.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The rules that the item `text` gives; sets `problem` to the problems.
std::vector<Conversion> Parse(const std::string& text, std::string* problem) {
  YamlProblems problems("keymap.yaml");
  const YamlValue item = ParseYaml({"keymap.yaml", text}, &problems);
  std::vector<Conversion> conversions;
  ParseConversion(item, &conversions, &problems);
  *problem = problems.size() > 0 ? std::string(problems.status().message()) : "";
  return conversions;
}

Conversion ParseGood(const std::string& text) {
  std::string problem;
  std::vector<Conversion> conversions = Parse(text, &problem);
  EXPECT_EQ(problem, "");
  return conversions.empty() ? Conversion() : conversions[0];
}

std::string ProblemOf(const std::string& text) {
  std::string problem;
  EXPECT_THAT(Parse(text, &problem), IsEmpty());
  return problem;
}

std::vector<std::string> Texts(const std::vector<Operation>& operations) {
  std::vector<std::string> texts;
  for (const Operation& operation : operations) texts.push_back(operation.text());
  return texts;
}

std::vector<std::string> Texts(const std::vector<KeyPattern>& patterns) {
  std::vector<std::string> texts;
  for (const KeyPattern& pattern : patterns) texts.push_back(pattern.text());
  return texts;
}

TEST(ExpandAlternativesTest, ExpandsTheLastOfSeveralFastest) {
  EXPECT_THAT(*ExpandAlternatives("a.{i}.w"), ElementsAre("a.{i}.w"));
  EXPECT_THAT(*ExpandAlternatives("layer{2,1}_rn.{leaf}"), ElementsAre("layer2_rn.{leaf}", "layer1_rn.{leaf}"));
  EXPECT_THAT(*ExpandAlternatives("{a,b}.{0,1}"), ElementsAre("a.0", "a.1", "b.0", "b.1"));
}

TEST(ExpandAlternativesTest, BadBracesAreErrors) {
  EXPECT_THAT(ExpandAlternatives("a.{x"), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no closing brace")));
  EXPECT_THAT(ExpandAlternatives("{a,}"), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("empty alternative")));
  EXPECT_THAT(ExpandAlternatives("{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("more than 100")));
}

TEST(ConversionTest, ARuleHasOperationsAndTheirInverse) {
  const Conversion rule = ParseGood(R"yaml(
slot: blocks.{i}.qkv.{leaf}
key: layer.{i}.{query,key,value}.{leaf}
by: ["transpose(0, 1)", concatenate(0)]
)yaml");
  EXPECT_THAT(Texts(rule.slots), ElementsAre("blocks.{i}.qkv.{leaf}"));
  EXPECT_THAT(Texts(rule.keys),
              ElementsAre("layer.{i}.query.{leaf}", "layer.{i}.key.{leaf}", "layer.{i}.value.{leaf}"));
  EXPECT_THAT(Texts(rule.operations), ElementsAre("transpose(0, 1)", "concatenate(0)"));
  EXPECT_THAT(Texts(rule.inverse), ElementsAre("chunk(3, 0)", "transpose(0, 1)"));
  EXPECT_EQ(rule.one_way, "");
  EXPECT_EQ(rule.when, absl::nullopt);
}

TEST(ConversionTest, ARuleMakesSeveralSlotsOfOneKey) {
  const Conversion rule = ParseGood("{slot: \"{w1,w2}.{leaf}\", key: \"w12.{leaf}\", by: \"chunk(2, 0)\"}");
  EXPECT_THAT(rule.slots, SizeIs(2));
  EXPECT_THAT(Texts(rule.inverse), ElementsAre("concatenate(0)"));
}

TEST(ConversionTest, ARuleWithoutOperationsPairsSlotsAndKeys) {
  const Conversion rule = ParseGood("{slot: \"layer{1,2}_rn\", key: \"convs.{0,1}\", when: \"convs.{i}\"}");
  EXPECT_THAT(Texts(rule.slots), ElementsAre("layer1_rn", "layer2_rn"));
  EXPECT_THAT(Texts(rule.keys), ElementsAre("convs.0", "convs.1"));
  EXPECT_THAT(rule.operations, IsEmpty());
  EXPECT_EQ(rule.when->text(), "convs.{i}");
}

TEST(ConversionTest, ARuleWithoutInverseNeedsAReason) {
  EXPECT_THAT(ProblemOf("{slot: a, key: a, by: reshape(-1)}"),
              HasSubstr("keymap.yaml:1:1: an operation of `by` has no inverse; state why none is needed as `one_way`"));
  EXPECT_EQ(ParseGood("{slot: a, key: a, by: reshape(-1), one_way: flat in training only}").one_way,
            "flat in training only");
  EXPECT_THAT(ProblemOf("{slot: \"heads.{i}.w\", key: heads.w}"), HasSubstr("slots that differ take the same key"));
}

TEST(ConversionTest, OperationsOnNumbersAreRules) {
  const Conversion cast = ParseGood("{slot: index, key: index, by: \"cast(int32, int64)\"}");
  EXPECT_THAT(Texts(cast.operations), ElementsAre("cast(int32, int64)"));
  EXPECT_THAT(Texts(cast.inverse), ElementsAre("cast(int64, int32)"));
  EXPECT_THAT(ProblemOf("{slot: a, key: a, by: \"cast(int32, int46)\"}"), HasSubstr("keymap.yaml:1:"));
  EXPECT_THAT(ProblemOf("{slot: a, key: a, by: \"chunk(int64, 0)\"}"),
              HasSubstr("wants chunk(count, dim), has chunk(int64, 0)"));
  const std::string resample = "slot: pos, key: pos, by: [\"resample_antialias(1, 0, 37, 37)\", prepend_zeros(1)]";
  EXPECT_THAT(ProblemOf("{" + resample + "}"),
              HasSubstr("keymap.yaml:1:1: an operation of `by` has no inverse; state why none is needed as `one_way`"));
  EXPECT_THAT(Texts(ParseGood("{" + resample + ", one_way: of another size}").operations),
              ElementsAre("resample_antialias(1, 0, 37, 37)", "prepend_zeros(1)"));
}

TEST(ConversionTest, RulesThatDoNotAddUpAreProblems) {
  EXPECT_THAT(ProblemOf("{slot: a, key: \"{b,c}\"}"),
              HasSubstr("the rule has 2 keys and 1 slot; without `by`, each slot takes one key"));
  EXPECT_THAT(ProblemOf("{slot: \"{a,b}\", key: \"{c,d}\", by: concatenate(0)}"),
              HasSubstr("`by` makes 1 of the keys"));
  EXPECT_THAT(ProblemOf("{slot: \"{a,b}\", key: \"{c,d}\", by: \"chunk(2, 0)\"}"),
              HasSubstr("an operation of `by` does not take that many"));
  EXPECT_THAT(ProblemOf("{slot: a, key: \"x.{i}\"}"), HasSubstr("{i} of \"x.{i}\" is not in \"a\""));
  EXPECT_THAT(ProblemOf("{slot: \"{a.{i},b.{j}}\", key: \"{c,d}\"}"), HasSubstr("keymap.yaml:1:"));
  EXPECT_THAT(ProblemOf("{slot: a, key: b, by: concat(0)}"), HasSubstr("unknown operation \"concat\""));
  EXPECT_THAT(ProblemOf("{slot: a, key: b, by: swap_halves(dim=0)}"), HasSubstr("no named arguments"));
  EXPECT_THAT(ProblemOf("{slot: a, key: b, from: c}"), HasSubstr("unknown field \"from\""));
  EXPECT_THAT(ProblemOf("{slot: a}"), HasSubstr("\"key\""));
}

TEST(ConversionTest, ARuleOfValuesThatAreNotValidYamlIsLeftOut) {
  for (const char* text : {"{slot: a, key: b", "{slot: &x a, key: *x}", "{key: &x a, slot: *x}"}) {
    EXPECT_THAT(ProblemOf(text), HasSubstr("keymap.yaml:1:")) << text;
  }
}

}  // namespace
}  // namespace modelport
