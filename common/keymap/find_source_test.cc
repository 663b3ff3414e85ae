
#include <memory>
#include <string>
#include <vector>

#include "common/checkpoint/checkpoint.h"
#include "common/keymap/comparison.h"
#include "common/keymap/header_checkpoint.h"
#include "common/keymap/key_map.h"
#include "common/keymap/key_mapper.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Keys = std::vector<SeededKey>;

class FindSourceTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(key_map_, ParseKeyMap({"keymap.yaml", R"yaml(layouts:
  other:
    recognise: [stem]
    missing: [{key: "qkv.0", reason: not needed}]
    sources:
      - {slot: "qkv.{i}", key: "{query,key,value}.{i}", by: concatenate(0)}
      - {slot: "{w1,w2}", key: w12, by: "chunk(2, 0)"}
      - {slot: token, key: reg_token, when: reg_token}
      - {slot: twice, key: a}
      - {slot: twice, key: b}
)yaml"}));
  }

  LayoutReading Read(const Keys& keys) {
    checkpoint_ = std::make_unique<Checkpoint>(MakeHeaderCheckpoint("net.pth", keys));
    return ReadDict(key_map_.layouts[0], *checkpoint_, checkpoint_->state_dicts()[0], "");
  }

  FoundSource Find(const std::string& slot, const Keys& keys) {
    return FindSource({slot, {2}, false}, reading_ = Read(keys));
  }

  // The message about a file with `keys` and one slot.
  std::string Message(const std::string& slot, const Shape& shape, const Keys& keys) {
    ModuleTree tree;
    tree.slots = {{slot, shape, false}};
    return std::string(FitError("net.pth", "net", tree, Compare(Read(keys), tree)).message());
  }

  KeyMap key_map_;
  std::unique_ptr<Checkpoint> checkpoint_;
  LayoutReading reading_;
};

TEST_F(FindSourceTest, ARuleMakesASlotOfSeveralKeys) {
  const FoundSource found = Find("qkv.3", {{"value.3", {2, 5}}, {"query.3", {2, 5}}, {"key.3", {2, 5}}, {"stem", {1}}});
  ASSERT_TRUE(found.source);
  EXPECT_EQ(found.source->shape(), Shape({6, 5}));
  ASSERT_THAT(found.source->inputs(), SizeIs(3));
  EXPECT_EQ(found.source->inputs()[0].tensor->key, "query.3");
  EXPECT_THAT(found.keys, ElementsAre("query.3", "key.3", "value.3"));
  EXPECT_THAT(found.lacking, IsEmpty());
}

TEST_F(FindSourceTest, ARuleMakesSlotsOfPartsOfAKey) {
  const FoundSource found = Find("w2", {{"w12", {8, 3}}, {"stem", {1}}});
  ASSERT_TRUE(found.source);
  EXPECT_EQ(found.source->shape(), Shape({4, 3}));
  EXPECT_THAT(found.keys, ElementsAre("w12"));
}

TEST_F(FindSourceTest, ARuleWithWhenAppliesToFilesThatHaveTheKey) {
  EXPECT_THAT(Find("token", {{"reg_token", {2}}, {"token", {2}}, {"stem", {1}}}).keys, ElementsAre("reg_token"));
  EXPECT_THAT(Find("token", {{"token", {2}}, {"stem", {1}}}).keys, ElementsAre("token"));
}

TEST_F(FindSourceTest, KeysThatTheFileLacksAreNamed) {
  EXPECT_THAT(Find("qkv.1", {{"query.1", {2}}, {"stem", {1}}}).lacking, ElementsAre("key.1", "value.1"));
  EXPECT_THAT(Message("qkv.1", {6}, {{"query.1", {2}}, {"value1", {2}}, {"stem", {1}}}),
              AllOf(HasSubstr("1 of 1 keys missing"), HasSubstr("missing: qkv.1 [6] is made of key.1, value.1")));
}

// `missing` is for files that have none of the keys.
TEST_F(FindSourceTest, ASlotOfWhichTheFileHasSomeKeysMayNotBeMissing) {
  EXPECT_THAT(Message("qkv.0", {6}, {{"query.0", {2}}, {"stem", {1}}}), HasSubstr("1 of 1 keys missing"));
  EXPECT_THAT(Message("qkv.0", {6}, {{"stem", {1}}}), Not(HasSubstr("missing: ")));
}

TEST_F(FindSourceTest, TensorsThatCannotBeConvertedAreNamedWithTheRule) {
  EXPECT_THAT(Message("qkv.1", {6}, {{"query.1", {2}}, {"key.1", {2}}, {"value.1", {3}}, {"stem", {1}}}),
              AllOf(HasSubstr("1 cannot be made"),
                    HasSubstr("cannot be made: qkv.1 (keymap.yaml:6:9): concatenate(0): the tensors have different "
                              "shapes: [2] and [3]")));
  EXPECT_THAT(Message("w1", {6}, {{"w12", {13}}, {"stem", {1}}}),
              HasSubstr("w1 (keymap.yaml:7:9): chunk(2, 0): 2 does not divide dimension 0 of [13]"));
  EXPECT_THAT(Message("qkv.1", {6}, {{"query.1", {2}}, {"key.1", {2}, DType::kInt32}, {"value.1", {2}}, {"stem", {1}}}),
              HasSubstr("the tensors have different dtypes: float32 and int32"));
}

TEST_F(FindSourceTest, ASlotOfTwoRulesIsAnError) {
  EXPECT_THAT(Message("twice", {2}, {{"a", {2}}, {"b", {2}}, {"stem", {1}}}),
              HasSubstr("twice (keymap.yaml:9:9): the rule at keymap.yaml:10:9 fills it, too"));
}

TEST_F(FindSourceTest, KeysThatMakeASlotAreNotUnexpected) {
  const std::string message = Message("w1", {4}, {{"w12", {8}}, {"w1", {4}}, {"stem", {1}}});
  EXPECT_THAT(message, HasSubstr("2 unexpected"));
  EXPECT_THAT(message, HasSubstr("unexpected: w1 [4]"));
}

}  // namespace
}  // namespace modelport
