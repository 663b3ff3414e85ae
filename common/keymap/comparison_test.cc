#include "common/keymap/comparison.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/checkpoint/checkpoint.h"
#include "common/keymap/header_checkpoint.h"
#include "common/keymap/key_map.h"
#include "common/operation/constant.h"
#include "common/operation/slot_source.h"
#include "common/status/status_matchers.h"
#include "common/yaml/document.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

using Keys = std::vector<SeededKey>;

class ComparisonTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(key_map_, ParseKeyMap({"keymap.yaml", R"yaml(layouts:
  original:
    recognise: [stem]
    old_names: [{from: trunk, to: stem, reason: renamed in release 2}]
    aliases: [{slot: twin, key: stem}]
    missing: [{key: mask, reason: dropped}]
    unused: [{key: "loss.{rest*}", reason: training}]
)yaml"}));
    tree_.slots = {
        {"stem", {2}, false}, {"twin", {2}, false}, {"mask", {3}, false}, {"count", {}, true, DType::kInt64}};
  }

  LayoutReading Read(const Keys& keys) {
    checkpoint_ = std::make_unique<Checkpoint>(MakeHeaderCheckpoint("net.pth", keys));
    return ReadDict(key_map_.layouts[0], *checkpoint_, checkpoint_->state_dicts()[0], "");
  }

  KeyMap key_map_;
  ModuleTree tree_;
  std::unique_ptr<Checkpoint> checkpoint_;
};

const SeededKey kStem = {"stem", {2}};
const SeededKey kCount = {"count", {}, DType::kInt64};

TEST_F(ComparisonTest, APlanTakesTensorsAndFillsWhatMayBeMissingWithZeros) {
  const Comparison comparison = Compare(Read({kCount, kStem, {"loss.w", {1}}}), tree_);
  EXPECT_TRUE(comparison.fits());
  const Plan& plan = comparison.plan;
  EXPECT_EQ(plan.layout, "original");
  ASSERT_THAT(plan.sources, SizeIs(4));
  EXPECT_EQ(plan.sources[0].inputs()[0].tensor->key, "stem");
  EXPECT_EQ(plan.sources[1], plan.sources[0]);
  EXPECT_EQ(plan.sources[2], SlotSource(Constant{{3}, DType::kFloat32, "dropped"}));
  EXPECT_EQ(plan.sources[3].inputs()[0].tensor->key, "count");
  EXPECT_THAT(plan.aliases, ElementsAre(Pair("twin", "stem")));
  EXPECT_THAT(plan.unused, ElementsAre(Pair("loss.w", "training")));
}

// A key map of one layout with the rules `rules`, which is recognised by a key "stem".
KeyMap MapWith(const std::string& rules) {
  return ParseKeyMap({"keymap.yaml", "layouts:\n  original:\n    recognise: [stem]\n    " + rules}).value();
}

TEST_F(ComparisonTest, ASlotThatAFileMayLackHasTheStatedValueInItsDType) {
  key_map_ = MapWith(
      R"yaml(missing: [{key: twin, value: 0.1, reason: a}, {key: count, value: -7, reason: b}, {key: flag, value: true, reason: c}])yaml");
  tree_.slots = {{"stem", {2}, false},
                 {"twin", {2}, false},
                 {"count", {}, true, DType::kInt64},
                 {"flag", {1}, true, DType::kBool}};
  const Comparison comparison = Compare(Read({kStem}), tree_);
  EXPECT_TRUE(comparison.fits());
  EXPECT_THAT(comparison.plan.sources, ElementsAre(testing::_, SlotSource(Constant{{2}, DType::kFloat32, "a", {0.1}}),
                                                   SlotSource(Constant{{}, DType::kInt64, "b", {int64_t{-7}}}),
                                                   SlotSource(Constant{{1}, DType::kBool, "c", {int64_t{1}}})));
}

TEST_F(ComparisonTest, AValueThatTheDTypeOfTheSlotLacksIsAnErrorAtTheRule) {
  key_map_ = MapWith("missing: [{key: \"{rest*}\", value: 300, reason: a}]");
  tree_.slots = {{"stem", {2}, false}, {"small", {1}, true, DType::kInt8}, {"large", {1}, true, DType::kInt16}};
  const Comparison comparison = Compare(Read({kStem}), tree_);
  EXPECT_FALSE(comparison.fits());
  ASSERT_THAT(comparison.unconvertible, SizeIs(1));
  EXPECT_EQ(comparison.unconvertible[0].slot->name, "small");
  EXPECT_EQ(MarkString(comparison.unconvertible[0].mark), "keymap.yaml:4:15");
  EXPECT_EQ(comparison.unconvertible[0].problem, "int8 does not hold the value 300");
}

TEST_F(ComparisonTest, ASlotTakesANumberForEachElement) {
  key_map_ = MapWith("missing: [{key: \"{rest*}\", value: [0.5, 0.25], reason: a}]");
  tree_.slots = {{"stem", {2}, false}, {"pair", {1, 2}, false}};
  const Comparison comparison = Compare(Read({kStem}), tree_);
  EXPECT_TRUE(comparison.fits());
  EXPECT_EQ(comparison.plan.sources[1], SlotSource(Constant{{1, 2}, DType::kFloat32, "a", {0.5, 0.25}}));
  tree_.slots[1].shape = {3};
  const Comparison other = Compare(Read({kStem}), tree_);
  ASSERT_THAT(other.unconvertible, SizeIs(1));
  EXPECT_EQ(other.unconvertible[0].problem, "it has [3], and field \"value\" 2 numbers");
}

TEST_F(ComparisonTest, SlotsOfOtherNumbersThanTheFileHasAreListed) {
  key_map_ = MapWith(
      R"yaml(sources: [{slot: pos, key: pos, by: "resample_bicubic(0, 1, 3, 3)", one_way: stored at another size}])yaml");
  tree_.slots = {{"stem", {2}, false}, {"pos", {10}, false}};
  const Comparison resampled = Compare(Read({kStem, {"pos", {5}}}), tree_);
  EXPECT_TRUE(resampled.fits());
  ASSERT_THAT(resampled.plan.changed, SizeIs(1));
  EXPECT_EQ(resampled.plan.changed[0].slot, "pos");
  EXPECT_EQ(resampled.plan.changed[0].operation, "resample_bicubic(0, 1, 3, 3)");
  EXPECT_EQ(resampled.plan.changed[0].reason, "stored at another size");
  const Comparison same = Compare(Read({kStem, {"pos", {10}}}), tree_);
  EXPECT_TRUE(same.fits());
  EXPECT_THAT(same.plan.changed, IsEmpty());
  const Comparison other = Compare(Read({kStem, {"pos", {4}}}), tree_);
  ASSERT_THAT(other.unconvertible, SizeIs(1));
  EXPECT_EQ(other.unconvertible[0].problem,
            "resample_bicubic(0, 1, 3, 3): [4] has 4 elements in dimension 0, which are not 1 and a square grid");
}

TEST_F(ComparisonTest, ACastFillsASlotOfAnotherDType) {
  tree_.slots = {{"stem", {2}, false}, {"count", {}, true, DType::kInt64}};
  const SeededKey small = {"count", {}, DType::kInt32};
  key_map_ = MapWith("unused: []");
  EXPECT_THAT(Compare(Read({kStem, small}), tree_).wrong_dtype, SizeIs(1));
  key_map_ = MapWith(R"yaml(sources: [{slot: count, key: count, by: "cast(int32, int64)"}])yaml");
  EXPECT_TRUE(Compare(Read({kStem, small}), tree_).fits());
  EXPECT_THAT(Compare(Read({kStem, kCount}), tree_).unconvertible, SizeIs(1));
}

TEST_F(ComparisonTest, KeysOfOldNamesFitAndAreListed) {
  const Comparison comparison = Compare(Read({kCount, {"trunk", {2}}}), tree_);
  EXPECT_TRUE(comparison.fits());
  EXPECT_EQ(comparison.plan.sources[0].inputs()[0].tensor->key, "trunk");
  ASSERT_THAT(comparison.plan.old_names, SizeIs(1));
  EXPECT_EQ(comparison.plan.old_names[0].to, "stem");
  EXPECT_EQ(comparison.plan.old_names[0].reason, "renamed in release 2");
  EXPECT_THAT(Compare(Read({kCount, kStem}), tree_).plan.old_names, SizeIs(0));
}

TEST_F(ComparisonTest, EveryDifferenceIsCollected) {
  const Comparison comparison = Compare(Read({{"stem", {3}, DType::kInt64}, {"mask", {3}}, {"extra", {1}}}), tree_);
  EXPECT_FALSE(comparison.fits());
  ASSERT_THAT(comparison.missing, SizeIs(1));
  EXPECT_EQ(comparison.missing[0].slot->name, "count");
  ASSERT_THAT(comparison.unexpected, SizeIs(1));
  EXPECT_EQ(comparison.unexpected[0].name, "extra");
  ASSERT_THAT(comparison.wrong_shape, SizeIs(2));  // Of the slot and of its alias.
  EXPECT_EQ(comparison.wrong_shape[1].slot->name, "twin");
  EXPECT_EQ(comparison.wrong_shape[1].source.shape(), Shape({3}));
  ASSERT_THAT(comparison.wrong_dtype, SizeIs(2));
  EXPECT_EQ(comparison.wrong_dtype[0].source.dtype(), DType::kInt64);
}

TEST_F(ComparisonTest, AReadingThatIsNotRecognisedIsComparedAndDoesNotFit) {
  const Comparison comparison = Compare(Read({{"twin", {2}}, kCount}), tree_);
  EXPECT_FALSE(comparison.fits());
  ASSERT_THAT(comparison.missing, SizeIs(1));
  EXPECT_EQ(comparison.missing[0].slot->name, "stem");
  EXPECT_THAT(comparison.unexpected, IsEmpty());
}

TEST_F(ComparisonTest, CompareIfFitsGivesTheSamePlan) {
  const LayoutReading reading = Read({kStem, kCount});
  const absl::optional<Comparison> comparison = CompareIfFits(reading, tree_);
  ASSERT_TRUE(comparison);
  EXPECT_TRUE(comparison->fits());
  EXPECT_EQ(comparison->plan.sources, Compare(reading, tree_).plan.sources);
}

TEST_F(ComparisonTest, CompareIfFitsGivesNothingForAnyDifference) {
  EXPECT_FALSE(CompareIfFits(Read({kCount}), tree_));                         // Not recognised.
  EXPECT_FALSE(CompareIfFits(Read({kStem}), tree_));                          // Missing.
  EXPECT_FALSE(CompareIfFits(Read({kStem, kCount, {"extra", {1}}}), tree_));  // Unexpected.
  EXPECT_FALSE(CompareIfFits(Read({{"stem", {3}}, kCount}), tree_));          // Wrong shape.
  EXPECT_FALSE(CompareIfFits(Read({kStem, {"count", {}}}), tree_));           // Wrong dtype.
  key_map_.layouts[0].strip = {"module."};
  EXPECT_FALSE(CompareIfFits(Read({kStem, kCount, {"module.stem", {2}}}), tree_));  // Given twice.
}

}  // namespace
}  // namespace modelport
