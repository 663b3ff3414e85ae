#include "common/yaml/testing/schema_errors.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest-spi.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;

using Json = nlohmann::json;

struct Case {
  std::string name;
  std::string schema;
  std::vector<std::string> good;
  std::vector<std::string> bad;
};

class JsonSchemaTest : public testing::TestWithParam<Case> {};

TEST_P(JsonSchemaTest, TakesGoodValuesOnly) {
  const Json schema = Json::parse(GetParam().schema);
  for (const std::string& good : GetParam().good) {
    EXPECT_THAT(JsonSchemaErrors(schema, Json::parse(good)), IsEmpty()) << good;
  }
  for (const std::string& bad : GetParam().bad) {
    EXPECT_THAT(JsonSchemaErrors(schema, Json::parse(bad)), Not(IsEmpty())) << bad;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, JsonSchemaTest,
    testing::Values(
        Case{"Type", R"({"type": "integer"})", {"1", "-1", "1.0"}, {"1.5", "\"1\"", "true", "null", "[]", "{}"}},
        Case{"Types",
             R"({"type": ["string", "number", "boolean"]})",
             {"\"\"", "1.5", "2", "true"},
             {"null", "[]", "{}"}},
        Case{"Array", R"({"type": "array"})", {"[]"}, {"{}", "1"}},
        Case{"Object", R"({"type": "object"})", {"{}"}, {"[]", "null"}},
        Case{"Enum", R"({"enum": ["a", "b"]})", {"\"a\"", "\"b\""}, {"\"c\"", "1"}},
        Case{"Const", R"({"const": false})", {"false"}, {"true", "0", "null"}},
        Case{"Pattern", R"({"pattern": "^a|b$"})", {"\"ac\"", "\"cb\"", "1"}, {"\"ca\""}},
        Case{"MinLength", R"({"minLength": 1})", {"\"a\"", "1", "[]"}, {"\"\""}},
        Case{"Minimum", R"({"minimum": 1})", {"1", "1.5", "\"\""}, {"0", "0.5", "-2"}},
        Case{"ExclusiveMinimum", R"({"exclusiveMinimum": 0})", {"1", "0.1", "\"\""}, {"0", "-1"}},
        Case{"Items", R"({"items": {"type": "string"}})", {"[]", "[\"a\", \"b\"]", "1"}, {"[\"a\", 1]"}},
        Case{"Sizes", R"({"minItems": 1, "maxItems": 2})", {"[1]", "[1, 2]", "{}"}, {"[]", "[1, 2, 3]"}},
        Case{
            "Fields",
            R"({"properties": {"a": {"type": "string"}, "b": false}, "additionalProperties": false, "required": ["a"]})",
            {R"({"a": "x"})", "[]"},
            {"{}", R"({"a": 1})", R"({"a": "x", "b": 1})", R"({"a": "x", "c": 1})"}},
        Case{"OtherFields",
             R"({"propertyNames": {"pattern": "^a"}, "additionalProperties": {"type": "string"}, "minProperties": 1})",
             {R"({"a": "x", "ab": "y"})", "[]"},
             {"{}", R"({"b": "x"})", R"({"a": 1})"}},
        Case{"AnyOf", R"({"anyOf": [{"type": "integer"}, {"minimum": 1}]})", {"0", "1", "1.5"}, {"0.5"}},
        Case{"OneOf", R"({"oneOf": [{"type": "integer"}, {"minimum": 1}]})", {"0", "1.5"}, {"1", "0.5"}},
        Case{"If",
             R"({"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}})",
             {R"({"a": 1, "b": 1})", R"({"c": 1})"},
             {R"({"a": 1, "c": 1})", "{}"}},
        Case{"Ref",
             R"({"definitions": {"tree": {"type": "array", "items": {"$ref": "#/definitions/tree"}}},
                 "properties": {"a": {"$ref": "#/definitions/tree", "title": "a tree"}}})",
             {R"({"a": [[], [[]]]})"},
             {R"({"a": [[1]]})"}}),
    [](const auto& info) { return info.param.name; });

TEST(JsonSchemaTest, AnUnknownKeywordFailsTheTest) {
  EXPECT_NONFATAL_FAILURE(JsonSchemaErrors(Json::parse(R"({"uniqueItems": true})"), 1), "keyword uniqueItems");
}

}  // namespace
}  // namespace modelport
