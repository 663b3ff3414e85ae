#include <nlohmann/json.hpp>

#include "artifact/signature/signature.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::HasSubstr;

auto Damaged(const char* what) { return StatusIs(absl::StatusCode::kDataLoss, HasSubstr(what)); }
auto InvalidJson(const char* what) { return StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(what)); }

TEST(ParseStrictJsonTest, IsCutAnywhere) {
  const std::string text = R"({"a": ["é", 1.5e3, null], "b": {"c": true}})";
  EXPECT_OK(ParseStrictJson(text));
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_THAT(ParseStrictJson(text.substr(0, size)), Damaged("is truncated, or not JSON")) << size;
  }
}

TEST(ParseStrictJsonTest, HasMoreThanJson) {
  using namespace std::string_literals;
  for (const std::string& text :
       {"{} {}"s, "{},"s, "{}\0"s, "{\"a\":\"\0\"}"s, "\"\xff\""s, "{'a': 1}"s, "// c\n{}"s}) {
    EXPECT_THAT(ParseStrictJson(text), Damaged("is truncated, or not JSON"));
  }
}

TEST(ParseStrictJsonTest, FieldOccursTwice) {
  EXPECT_THAT(ParseStrictJson(R"({"a": {"b": 1, "c": 2, "b": 1}})"), Damaged("the field b occurs twice"));
  EXPECT_THAT(ParseStrictJson(R"({"a": 1, "\u0061": 1})"), Damaged("the field a occurs twice"));
  EXPECT_OK(ParseStrictJson(R"([{"a": {"a": 1}}, {"a": 2}])"));
}

TEST(ParseStrictJsonTest, IsTooLarge) {
  EXPECT_OK(ParseStrictJson("{}" + std::string((1 << 16) - 2, ' ')));
  EXPECT_THAT(ParseStrictJson("{}" + std::string((1 << 16) - 1, ' ')), Damaged("has 65537 bytes, wants at most 65536"));
}

TEST(ParseStrictJsonTest, NestsDeeply) {
  const size_t depth = 1 << 15;
  EXPECT_OK(ParseStrictJson(std::string(depth, '[') + std::string(depth, ']')));
}

TEST(FieldsTest, AreOfTheWantedTypes) {
  const auto json = ParseStrictJson(R"({"a": {"text": "t", "number": 1, "two": [1, 2]}, "list": []})");
  ASSERT_OK(json);
  EXPECT_EQ(*TextAt(*json, "/a/text"), "t");
  EXPECT_THAT(TextAt(*json, "/a/none"), InvalidJson("a/none: wants a text, has nothing"));
  EXPECT_THAT(TextAt(*json, "/a/text/0"), InvalidJson("a/text/0: wants a text, has nothing"));
  EXPECT_THAT(TextAt(*json, "/a/two/2"), InvalidJson("a/two/2: wants a text, has nothing"));
  EXPECT_THAT(TextAt(*json, "/a/number"), InvalidJson("a/number: wants a text, has number"));
  EXPECT_OK(CheckTextAt(*json, "/a/text", "t"));
  EXPECT_THAT(CheckTextAt(*json, "/a/text", "u"), InvalidJson("a/text: wants u, has t"));
  EXPECT_EQ((*ListAt(*json, "/a/two"))->size(), 2);
  EXPECT_THAT(ListAt(*json, "/a"), InvalidJson("a: wants a list, has object"));
  EXPECT_THAT(ListAt(*json, "/b"), InvalidJson("b: wants a list, has nothing"));
  EXPECT_THAT(CheckOneAt(*json, "/a/two"), InvalidJson("a/two: wants one item, has 2"));
  EXPECT_THAT(CheckOneAt(*json, "/list"), InvalidJson("list: wants one item, has 0"));
}

}  // namespace
}  // namespace modelport
