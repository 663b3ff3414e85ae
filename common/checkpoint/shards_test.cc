#include "common/checkpoint/shards.h"

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/checkpoint/checkpoint.h"
#include "common/checkpoint/testing/checkpoint_writer.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

// A safetensors file with a byte for each key.
std::string Shard(const std::vector<std::string>& keys) {
  std::string header, data;
  for (size_t i = 0; i < keys.size(); ++i) {
    absl::StrAppend(&header, i == 0 ? "" : ",", "\"", keys[i], R"(":{"dtype":"U8","shape":[1],"data_offsets":[)", i,
                    ",", i + 1, "]}");
    data += keys[i][0];
  }
  return SafetensorsFile(absl::StrCat("{", header, "}"), data);
}

class ShardsTest : public ::testing::Test {
 protected:
  // Writes `bytes` to the file `name` in the test's folder.
  std::string Write(const std::string& name, const std::string& bytes) {
    const std::string path = absl::StrCat(::testing::TempDir(), "/", Prefix(), name);
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  // Opens the index that has these entries: "a": "1".
  absl::StatusOr<Checkpoint> Open(const std::vector<std::pair<std::string, std::string>>& entries) {
    std::vector<std::string> lines;
    for (const auto& [key, shard] : entries) lines.push_back(absl::StrCat("\"", key, "\": \"", Prefix(), shard, "\""));
    return OpenCheckpoint(Write("index.json", absl::StrCat("{\"weight_map\": {", absl::StrJoin(lines, ","), "}}")));
  }

  static std::string Prefix() { return ::testing::UnitTest::GetInstance()->current_test_info()->name(); }
};

TEST_F(ShardsTest, AreOneStateDict) {
  Write("1", Shard({"b", "a"}));
  Write("2", Shard({"c"}));
  ASSERT_OK_AND_ASSIGN(const Checkpoint checkpoint, Open({{"a", "1"}, {"b", "1"}, {"c", "2"}}));
  EXPECT_EQ(checkpoint.format(), "safetensors");
  ASSERT_EQ(checkpoint.files().size(), 3);
  EXPECT_EQ(checkpoint.size(), checkpoint.files()[0].bytes.size() + Shard({"b", "a"}).size() + Shard({"c"}).size());
  ASSERT_EQ(checkpoint.state_dicts().size(), 1);
  std::vector<std::string> keys;
  for (const CheckpointTensor& tensor : checkpoint.state_dicts()[0].tensors) {
    keys.push_back(tensor.key);
    EXPECT_EQ(RowMajorBytes(checkpoint, tensor), tensor.key);
  }
  EXPECT_THAT(keys, ElementsAre("b", "a", "c"));
  EXPECT_OK(checkpoint.CheckUnchanged());
}

TEST_F(ShardsTest, MayBeFilesOfTorchSave) {
  Write("1", SmallTorchZip());
  ASSERT_OK_AND_ASSIGN(const Checkpoint checkpoint, Open({{"a", "1"}, {"b", "1"}}));
  EXPECT_EQ(checkpoint.format(), "torch.save (zip)");
  EXPECT_OK(VerifyCrc32(checkpoint, {0, 1}));
}

TEST_F(ShardsTest, ADamagedShardIsNamed) {
  std::string bytes = SmallTorchZip();
  const float value = 6;
  bytes[bytes.find(std::string(reinterpret_cast<const char*>(&value), sizeof(value)))] ^= 1;
  const std::string path = Write("1", bytes);
  ASSERT_OK_AND_ASSIGN(const Checkpoint checkpoint, Open({{"a", "1"}, {"b", "1"}}));
  EXPECT_THAT(VerifyCrc32(checkpoint, {0, 1}), StatusIs(absl::StatusCode::kDataLoss, StartsWith(path)));
}

TEST_F(ShardsTest, AMissingShardIsNamed) {
  Write("1", Shard({"a"}));
  EXPECT_THAT(Open({{"a", "1"}, {"b", "2"}}),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr(absl::StrCat("1 of 2 shards is not in its folder: ", Prefix(), "2"))));
}

TEST_F(ShardsTest, EveryDisagreementAboutKeysIsNamed) {
  Write("1", Shard({"a", "b", "same"}));
  Write("2", Shard({"c", "same", "new"}));
  EXPECT_THAT(
      Open({{"a", "1"}, {"b", "2"}, {"c", "2"}, {"same", "1"}, {"lost", "2"}}),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("\n  1 in two shards: same"), HasSubstr("\n  1 in the index and in no shard: lost"),
                     HasSubstr("\n  1 in another shard than the index says: b"),
                     HasSubstr("\n  1 in a shard and not in the index: new"))));
}

TEST_F(ShardsTest, MayHoldTensorsOfADTypeThatIsNotKnown) {
  std::string bytes = Shard({"a", "b"});
  Write("1", bytes.replace(bytes.find("U8"), 2, "F4"));
  Write("2", Shard({"c"}));
  ASSERT_OK_AND_ASSIGN(const Checkpoint checkpoint, Open({{"a", "1"}, {"b", "1"}, {"c", "2"}}));
  EXPECT_EQ(checkpoint.state_dicts()[0].tensors.size(), 2);
  ASSERT_EQ(checkpoint.loose().size(), 1);
  EXPECT_EQ(checkpoint.loose()[0].key, "a");
  EXPECT_THAT(Open({{"a", "2"}, {"b", "1"}, {"c", "2"}}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("in another shard than the index says: a")));
}

TEST_F(ShardsTest, AShardThatIsNoneIsNamed) {
  Write("1", Shard({"a"}).substr(0, 40));
  EXPECT_THAT(Open({{"a", "1"}}),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr(absl::StrCat("shard ", Prefix(), "1: truncated"))));
  Write("1", "{\"weight_map\": {\"a\": \"1\"}}");
  EXPECT_THAT(Open({{"a", "1"}}), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("a JSON text")));
}

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
