#include "common/keymap/stored_layout.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/checkpoint/checkpoint.h"
#include "common/checkpoint/seeded.h"
#include "common/keymap/header_checkpoint.h"
#include "common/keymap/key_map.h"
#include "common/keymap/key_mapper.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "common/tensor/shape.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::FieldsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

using Keys = std::vector<SeededKey>;

constexpr char kStoredKeyMap[] = R"yaml(layouts:
  original:
    recognise: ["{rest*}"]
    missing: [{key: mask, reason: not needed}, {key: 9.up, reason: not needed}]
    unused: [{key: "head.{rest*}", reason: training only}]
  parts:
    recognise: ["{rest*}"]
    prefix: net.
    missing: [{key: mask, reason: not needed}]
    sources:
      - {slot: "{i}.qkv", key: "{i}.{q,k,v}", by: concatenate(0)}
      - {slot: "{i}.{gate,up}", key: "{i}.both", by: "chunk(2, 0)"}
      - {slot: "{i}.{a,b}", key: "{i}.{first,second}"}
  same_parts:
    recognise: ["{rest*}"]
    sources:
      - {slot: "{i}.qkv", key: "{i}.{query,key,value}", by: concatenate(0)}
      - {slot: "{i}.{gate,up}", key: "{i}.up_gate", by: ["chunk(2, 0)"]}
  lossy:
    recognise: ["{rest*}"]
    dropped: [{key: mask, reason: nobody uses it}]
    sources:
      - {slot: "{i}.qkv", key: "{i}.qkv", when: "{i}.first", by: drop_first(0), one_way: the first row is gone}
      - {slot: "{i}.{a,c}", key: "{i}.{first,third}"}
      - {slot: "{i}.b", key: "{i}.b", by: prepend_zeros(0)}
  renamed:
    recognise: ["{rest*}"]
    renames: [{from: "old.{i}.{leaf}", to: "{i}.{leaf}"}]
  chunked:
    recognise: ["{rest*}"]
    renames: [{from: "{chunk}.{i}.{leaf}", to: "{i}.{leaf}"}]
  shared:
    recognise: ["{rest*}"]
    aliases: [{slot: "{i}.b", key: "{i}.a"}]
  twice:
    recognise: ["{rest*}"]
    sources: [{slot: "{i}.a", key: "{i}.x"}, {slot: "0.{leaf}", key: "0.{leaf}"}]
  clash:
    recognise: ["{rest*}"]
    sources: [{slot: "{i}.a", key: "{i}.b"}]
  ones:
    recognise: ["{rest*}"]
    missing: [{key: mask, value: 1, reason: not masked}]
    sources:
      - {slot: count, key: count, by: "cast(int32, int64)"}
  small:
    recognise: ["{rest*}"]
    sources:
      - {slot: "{i}.qkv", key: "{i}.qkv", by: "resample_bicubic(0, 0, 2, 3)", one_way: stored at another size}
  one_key:
    recognise: ["{rest*}"]
    sources: [{slot: "{i}.{leaf}", key: "{leaf}", one_way: the blocks share their tensors}]
)yaml";

class StoredLayoutTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_OK_AND_ASSIGN(key_map_, ParseKeyMap({"keymap.yaml", kStoredKeyMap})); }

  // What a file in layout `to` holds of one with `keys` in layout `from`, for a model with the slots `slots`.
  absl::StatusOr<StoredLayout> Convert(const std::string& from, const Keys& keys, const Keys& slots,
                                       const std::string& to) {
    StateDict dict;
    for (const SeededKey& key : keys) {
      const int index = static_cast<int>(dict.tensors.size());
      dict.tensors.push_back({key.key, key.dtype, key.shape, RowMajorStrides(key.shape), 0, index});
    }
    return ConvertFile(from, MakeHeaderCheckpoint("net.pth", {std::move(dict)}), slots, to);
  }

  absl::StatusOr<StoredLayout> ConvertFile(const std::string& from, const Checkpoint& checkpoint, const Keys& slots,
                                           const std::string& to) {
    ModuleTree tree;
    for (const SeededKey& slot : slots) {
      tree.slots.push_back({slot.key, slot.shape, false});
      if (!IsFloating(slot.dtype)) tree.slots.back().dtype = slot.dtype;
    }
    ASSIGN_OR_RETURN(const Plan plan, MakePlan(checkpoint, key_map_, tree, {from}, "net"));
    return StoreInLayout(plan, tree, *key_map_.Find(to));
  }

  KeyMap key_map_;
};

std::vector<std::string> KeysOf(const StoredLayout& stored) {
  std::vector<std::string> keys;
  for (const StoredTensor& tensor : stored.tensors) keys.push_back(tensor.key);
  return keys;
}

// The keys of the checkpoint that each tensor is made of.
std::vector<std::string> InputsOf(const StoredTensor& tensor) {
  std::vector<std::string> keys;
  for (const SourceInput& input : tensor.source.inputs()) keys.push_back(input.tensor->key);
  return keys;
}

const Keys kAttention = {{"0.qkv", {6, 5}}, {"0.gate", {2}}, {"0.up", {2}}, {"0.a", {3}}, {"0.b", {4}}};

TEST_F(StoredLayoutTest, RulesAreAppliedBackwards) {
  ASSERT_OK_AND_ASSIGN(const StoredLayout stored, Convert("original", kAttention, kAttention, "parts"));
  EXPECT_THAT(KeysOf(stored),
              ElementsAre("net.0.q", "net.0.k", "net.0.v", "net.0.both", "net.0.first", "net.0.second"));
  EXPECT_EQ(stored.tensors[1].source.shape(), Shape({2, 5}));
  EXPECT_EQ(stored.tensors[3].source.shape(), Shape({4}));
  EXPECT_THAT(InputsOf(stored.tensors[3]), ElementsAre("0.gate", "0.up"));
  EXPECT_THAT(stored.unstorable, IsEmpty());
  EXPECT_THAT(stored.lacking, IsEmpty());
}

TEST_F(StoredLayoutTest, TensorsThatBothLayoutsHoldInOneFormAreNotConverted) {
  const Keys keys = {{"0.query", {2, 5}}, {"0.key", {2, 5}}, {"0.value", {2, 5}}, {"0.up_gate", {4}}};
  const Keys slots = {{"0.qkv", {6, 5}}, {"0.gate", {2}}, {"0.up", {2}}};
  ASSERT_OK_AND_ASSIGN(const StoredLayout stored, Convert("same_parts", keys, slots, "parts"));
  EXPECT_THAT(KeysOf(stored), ElementsAre("net.0.q", "net.0.k", "net.0.v", "net.0.both"));
  for (size_t i = 0; i < stored.tensors.size(); ++i) EXPECT_THAT(InputsOf(stored.tensors[i]), ElementsAre(keys[i].key));
}

TEST_F(StoredLayoutTest, ASlotThatTheFileLacksKeepsItsValue) {
  const Keys slots = {{"0.a", {3}}, {"mask", {1}}};
  ASSERT_OK_AND_ASSIGN(const StoredLayout other, Convert("original", {{"0.a", {3}}}, slots, "ones"));
  EXPECT_THAT(other.lacking, IsEmpty());
  EXPECT_THAT(other.unstorable,
              ElementsAre(FieldsAre("mask", "the checkpoint lacks it, which means 0, and in layout ones 1")));
  ASSERT_OK_AND_ASSIGN(const StoredLayout same, Convert("ones", {{"0.a", {3}}}, slots, "ones"));
  EXPECT_THAT(same.lacking, ElementsAre("mask"));
  EXPECT_THAT(same.unstorable, IsEmpty());
}

TEST_F(StoredLayoutTest, NumbersThatAreNotThoseOfTheFileAreRefused) {
  const Keys slots = {{"0.qkv", {6, 5}}}, keys = {{"0.qkv", {4, 5}}};
  for (const char* to : {"original", "parts"}) {
    ASSERT_OK_AND_ASSIGN(const StoredLayout stored, Convert("small", keys, slots, to));
    EXPECT_THAT(stored.tensors, IsEmpty()) << to;
    EXPECT_THAT(stored.unstorable,
                ElementsAre(FieldsAre("0.qkv", "layout small gives it other numbers by resample_bicubic(0, 0, 2, 3)")));
  }
  ASSERT_OK_AND_ASSIGN(const StoredLayout same, Convert("small", keys, slots, "small"));
  EXPECT_EQ(same.tensors[0].source.shape(), Shape({4, 5}));
  EXPECT_THAT(same.unstorable, IsEmpty());
  ASSERT_OK_AND_ASSIGN(const StoredLayout there, Convert("original", slots, slots, "small"));
  EXPECT_THAT(there.unstorable, ElementsAre(FieldsAre("0.qkv", "stored at another size")));
}

TEST_F(StoredLayoutTest, ACastIsTakenBack) {
  const Keys slots = {{"0.a", {3}}, {"count", {2}, DType::kInt64}};
  ASSERT_OK_AND_ASSIGN(const StoredLayout there, Convert("original", slots, slots, "ones"));
  EXPECT_EQ(there.tensors[1].source.dtype(), DType::kInt32);
  EXPECT_THAT(there.unstorable, IsEmpty());
  const Keys keys = {{"0.a", {3}}, {"count", {2}, DType::kInt32}};
  ASSERT_OK_AND_ASSIGN(const StoredLayout back, Convert("ones", keys, slots, "original"));
  EXPECT_EQ(back.tensors[1].source.dtype(), DType::kInt64);
  ASSERT_OK_AND_ASSIGN(const StoredLayout same, Convert("ones", keys, slots, "ones"));
  EXPECT_EQ(same.tensors[1].source.dtype(), DType::kInt32);
  EXPECT_EQ(same.tensors[1].source.computed(), nullptr);
}

TEST_F(StoredLayoutTest, ASlotThatTheFileLacksIsLeftOutWhereTheLayoutAllowsIt) {
  const Keys slots = {{"0.a", {3}}, {"mask", {1}}};
  ASSERT_OK_AND_ASSIGN(const StoredLayout stored, Convert("original", {{"0.a", {3}}}, slots, "parts"));
  EXPECT_THAT(KeysOf(stored), ElementsAre("net.0.first"));
  EXPECT_THAT(stored.lacking, ElementsAre("mask"));
  EXPECT_THAT(stored.unstorable, IsEmpty());
  ASSERT_OK_AND_ASSIGN(const StoredLayout other, Convert("original", {{"0.a", {3}}}, slots, "shared"));
  EXPECT_THAT(other.unstorable, ElementsAre(FieldsAre("mask", "the checkpoint lacks it, layout shared requires it")));
}

TEST_F(StoredLayoutTest, WhatALayoutDropsOrCannotTakeBackIsNamed) {
  Keys keys = kAttention;
  keys.push_back({"mask", {1}});
  ASSERT_OK_AND_ASSIGN(const StoredLayout stored, Convert("original", keys, keys, "lossy"));
  EXPECT_THAT(KeysOf(stored), ElementsAre("0.gate", "0.up", "0.first"));
  EXPECT_THAT(stored.unstorable, ElementsAre(FieldsAre("0.qkv", "the first row is gone"),
                                             FieldsAre("0.b", HasSubstr("keymap.yaml:25:9 is not exact backwards")),
                                             FieldsAre("mask", "nobody uses it")));
}

TEST_F(StoredLayoutTest, ARuleForCertainFilesAppliesOnlyToThem) {
  const Keys keys = {{"0.qkv", {6, 5}}, {"0.c", {1}}};
  ASSERT_OK_AND_ASSIGN(const StoredLayout stored, Convert("original", keys, keys, "lossy"));
  EXPECT_THAT(KeysOf(stored), ElementsAre("0.qkv", "0.third"));
  EXPECT_THAT(stored.unstorable, IsEmpty());
}

TEST_F(StoredLayoutTest, ALayoutHoldsWhatItsOwnOneWayRuleRead) {
  const Keys keys = {{"0.qkv", {7, 5}}, {"0.first", {3}}};
  ASSERT_OK_AND_ASSIGN(const StoredLayout stored, Convert("lossy", keys, {{"0.qkv", {6, 5}}, {"0.a", {3}}}, "lossy"));
  EXPECT_THAT(KeysOf(stored), ElementsAre("0.qkv", "0.first"));
  EXPECT_EQ(stored.tensors[0].source.shape(), Shape({7, 5}));
  EXPECT_THAT(stored.unstorable, IsEmpty());
}

TEST_F(StoredLayoutTest, AnOperationThatDoesNotAcceptASlotIsNamed) {
  const Keys keys = {{"0.qkv", {7, 5}}};
  ASSERT_OK_AND_ASSIGN(const StoredLayout stored, Convert("original", keys, keys, "parts"));
  EXPECT_THAT(stored.unstorable,
              ElementsAre(FieldsAre("0.qkv", "chunk(3, 0): 3 does not divide dimension 0 of [7, 5]")));
}

TEST_F(StoredLayoutTest, SlotsOfOneRuleNeedEachOther) {
  const Keys keys = {{"0.gate", {2}}};
  ASSERT_OK_AND_ASSIGN(const StoredLayout stored, Convert("original", keys, keys, "parts"));
  EXPECT_THAT(KeysOf(stored), IsEmpty());
  EXPECT_THAT(stored.unstorable,
              ElementsAre(FieldsAre("0.gate", "the layout holds it together with a tensor that the checkpoint lacks")));
  const Keys slots = {{"9.gate", {2}}, {"9.up", {2}}};
  ASSERT_OK_AND_ASSIGN(const StoredLayout half, Convert("original", {{"9.gate", {2}}}, slots, "parts"));
  EXPECT_THAT(KeysOf(half), IsEmpty());
  EXPECT_THAT(half.unstorable, ElementsAre(FieldsAre("9.gate", HasSubstr("a tensor that the checkpoint lacks")),
                                           FieldsAre("9.up", HasSubstr("a tensor that the checkpoint lacks"))));
}

TEST_F(StoredLayoutTest, RenamesAreReversed) {
  const Keys keys = {{"0.a", {3}}};
  ASSERT_OK_AND_ASSIGN(const StoredLayout stored, Convert("original", keys, keys, "renamed"));
  EXPECT_THAT(KeysOf(stored), ElementsAre("old.0.a"));
  EXPECT_THAT(Convert("original", keys, keys, "chunked"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("keymap.yaml:31:15: layout chunked can only be read"),
                             HasSubstr("{chunk} of \"{chunk}.{i}.{leaf}\" is not in \"{i}.{leaf}\""))));
  EXPECT_THAT(Convert("original", {{"stem", {3}}}, {{"stem", {3}}}, "renamed"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no key is renamed to \"{i}.{leaf}\"")));
}

TEST_F(StoredLayoutTest, SharedTensorsAreStoredOnceIfTheyAreTheSame) {
  const Keys slots = {{"0.a", {3}}, {"0.b", {3}}};
  ASSERT_OK_AND_ASSIGN(const StoredLayout once, Convert("shared", {{"0.a", {3}}}, slots, "shared"));
  EXPECT_THAT(KeysOf(once), ElementsAre("0.a"));
  ASSERT_OK_AND_ASSIGN(const StoredLayout each, Convert("shared", {{"0.a", {3}}}, slots, "original"));
  EXPECT_THAT(KeysOf(each), ElementsAre("0.a", "0.b"));
  ASSERT_OK_AND_ASSIGN(const StoredLayout twice, Convert("original", slots, slots, "shared"));
  EXPECT_THAT(KeysOf(twice), ElementsAre("0.a", "0.b"));
}

TEST_F(StoredLayoutTest, SlotsOfOneKeyMustBeTheSame) {
  const Keys slots = {{"0.a", {3}}, {"1.a", {3}}};
  ASSERT_OK_AND_ASSIGN(const StoredLayout same, Convert("one_key", {{"a", {3}}}, slots, "one_key"));
  EXPECT_THAT(KeysOf(same), ElementsAre("a"));
  ASSERT_OK_AND_ASSIGN(const StoredLayout other, Convert("original", slots, slots, "one_key"));
  EXPECT_THAT(other.unstorable, ElementsAre(FieldsAre("1.a", "the blocks share their tensors")));
}

TEST_F(StoredLayoutTest, RulesThatContradictEachOtherAreErrors) {
  const Keys keys = {{"0.a", {3}}, {"0.b", {3}}};
  EXPECT_THAT(Convert("original", keys, keys, "twice"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "keymap.yaml:37:46: fills 0.a, which the rule at keymap.yaml:37:15 fills, too"));
  EXPECT_THAT(Convert("original", keys, keys, "clash"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "layout clash cannot be written: 0.b and another slot have the key 0.b"));
}

TEST_F(StoredLayoutTest, KeysAndDictionariesWithoutASlotAreNamed) {
  const Keys slots = {{"0.a", {3}}};
  ASSERT_OK_AND_ASSIGN(const StoredLayout stored, Convert("original", {{"0.a", {3}}, {"head.w", {2}}}, slots, "parts"));
  EXPECT_THAT(stored.unstorable, ElementsAre(FieldsAre("head.w", "the model does not use it: training only")));
  const CheckpointTensor tensor = {"0.a", DType::kFloat32, {3}, {1}, 0, 0},
                         other = {"x", DType::kFloat32, {3}, {1}, 0, 1};
  ASSERT_OK_AND_ASSIGN(
      const StoredLayout nested,
      ConvertFile("original", MakeHeaderCheckpoint("net.pth", {{"", {tensor}, {}}, {"optimizer", {other}, {}}}), slots,
                  "parts"));
  EXPECT_THAT(nested.unstorable, ElementsAre(FieldsAre("optimizer", "1 tensor beside the state dict of the model")));
}

}  // namespace
}  // namespace modelport
