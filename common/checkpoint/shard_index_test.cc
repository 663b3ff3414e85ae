#include "common/checkpoint/shard_index.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST(ShardIndexTest, GivesTheShardOfEachKey) {
  ASSERT_OK_AND_ASSIGN(const ShardIndex index, ParseShardIndex(R"({
    "metadata": {"total_size": 24, "more": [{"weight_map": {"a": 1}}]},
    "weight_map": {"b": "2.safetensors", "a": "1.safetensors", "c": "2.safetensors"},
    "later": ["x", null, 1.5]
  })"));
  EXPECT_THAT(index.shards, ElementsAre("1.safetensors", "2.safetensors"));
  EXPECT_THAT(index.keys, UnorderedElementsAre(Pair("a", 0), Pair("b", 1), Pair("c", 1)));
}

TEST(ShardIndexTest, BadTextIsRefused) {
  struct Case {
    std::string json;
    absl::StatusCode code;
    std::string message;
  };
  constexpr absl::StatusCode kDamaged = absl::StatusCode::kDataLoss, kOther = absl::StatusCode::kInvalidArgument;
  const Case cases[] = {
      {R"({"weight_map": {"a": "1"})", kDamaged, "not JSON in UTF-8 from its byte 26"},
      {std::string("{\"weight_map\": {\"a\": \"1\"}}\0", 27), kDamaged, "has a NUL at its byte 26"},
      {R"({"weight_map": {"a": "1", "a": "2"}})", kDamaged, "weight_map, a: occurs twice"},
      {R"({"weight_map": {"a": "1"}, "weight_map": {"b": "1"}})", kDamaged, "weight_map occurs twice"},
      {R"({"model_type": "vit", "depth": {"a": "1"}})", kOther, "a JSON text without a weight_map"},
      {R"([{"weight_map": {"a": "1"}}])", kOther, "a JSON text without a weight_map"},
      {R"({"weight_map": {}})", kOther, "a JSON text without a weight_map"},
      {R"({"weight_map": {"a": 1}})", kOther, "weight_map, a: wants the name of a file"},
      {R"({"weight_map": {"a": ["1"]}})", kOther, "weight_map, a: wants the name of a file"},
      {R"({"weight_map": {"a": {"b": "1"}}})", kOther, "weight_map, a: wants the name of a file"},
      {R"({"weight_map": {"a": "../1"}})", kOther, "\"../1\" is not the name of a file in the index's folder"},
      {R"({"weight_map": {"a": "/1"}})", kOther, "\"/1\" is not the name of a file in the index's folder"},
      {R"({"weight_map": {"a": ".."}})", kOther, "\"..\" is not the name of a file in the index's folder"},
      {R"({"weight_map": {"a": ""}})", kOther, "\"\" is not the name of a file in the index's folder"},
      {R"({"weight_map": {"a": "x\u0000.safetensors"}})", kOther, "is not the name of a file in the index's folder"},
  };
  for (const Case& c : cases) EXPECT_THAT(ParseShardIndex(c.json), StatusIs(c.code, HasSubstr(c.message))) << c.json;
}

TEST(ShardIndexTest, NamesAThousandShardsAtMost) {
  const auto index = [](int shards) {
    std::string map;
    for (int i = 0; i < shards; ++i) absl::StrAppend(&map, i == 0 ? "" : ",", "\"k", i, "\":\"", i, "\"");
    return absl::StrCat("{\"weight_map\":{", map, "}}");
  };
  EXPECT_OK(ParseShardIndex(index(1000)));
  EXPECT_THAT(ParseShardIndex(index(1001)),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("names more than 1000 shards")));
}

}  // namespace
}  // namespace modelport
