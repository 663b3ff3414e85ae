#include "common/keymap/layout_reading.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/header_checkpoint.h"
#include "common/keymap/key_map.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

StateDict Dict(const std::string& path, const std::string& key, std::vector<std::string> also = {}) {
  return {path, {{key, DType::kFloat32, {1}, {1}, 0, 0}}, std::move(also)};
}

class LayoutReadingTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(key_map_, ParseKeyMap({"keymap.yaml", R"yaml(layouts:
  original:
    recognise: [stem]
    unwrap: [model, teacher]
    strip: [module.]
    old_names: [{from: trunk, to: stem, reason: renamed in release 2}]
    renames: [{from: old, to: new}]
)yaml"}));
  }

  // The paths of the dictionaries that the layout reads, in order.
  std::vector<std::string> Paths(std::vector<StateDict> dicts) {
    checkpoint_ = std::make_unique<Checkpoint>(MakeHeaderCheckpoint("net.pth", std::move(dicts)));
    std::vector<std::string> paths;
    for (const LayoutReading& reading : ReadLayout(key_map_.layouts[0], *checkpoint_)) {
      paths.emplace_back(reading.path);
    }
    return paths;
  }

  LayoutReading ReadRoot(const std::string& key) {
    checkpoint_ = std::make_unique<Checkpoint>(MakeHeaderCheckpoint("net.pth", std::vector<StateDict>{Dict("", key)}));
    return ReadDict(key_map_.layouts[0], *checkpoint_, checkpoint_->state_dicts()[0], "");
  }

  KeyMap key_map_;
  std::unique_ptr<Checkpoint> checkpoint_;
};

TEST_F(LayoutReadingTest, OldNamesAreRecognised) {
  EXPECT_TRUE(ReadRoot("module.trunk").recognised());
  EXPECT_FALSE(ReadRoot("module.root").recognised());
}

TEST_F(LayoutReadingTest, DictionariesAreReadInOrderOfPreference) {
  EXPECT_THAT(Paths({Dict("teacher", "a"), Dict("model", "a"), Dict("", "a"), Dict("model.teacher", "a")}),
              ElementsAre("", "model", "model.teacher", "teacher"));
}

TEST_F(LayoutReadingTest, OtherDictionariesAndThoseNestedTooDeepAreReadIfTheyAreRecognised) {
  EXPECT_THAT(Paths({Dict("optimizer", "a"), Dict("model.optimizer", "a")}), IsEmpty());
  EXPECT_THAT(Paths({Dict("model.model.model.model", "a"), Dict("model.model.model.model.model", "a")}),
              ElementsAre("model.model.model.model"));
  EXPECT_THAT(Paths({Dict("optimizer", "a"), Dict("best", "stem"), Dict("module", "stem"), Dict("", "a")}),
              ElementsAre("", "best", "module"));
}

TEST_F(LayoutReadingTest, WeightsThatTrainingAveragesComeFirst) {
  EXPECT_THAT(Paths({Dict("", "stem"), Dict("model", "stem"), Dict("params_ema", "stem"), Dict("ema.module", "a")}),
              ElementsAre("params_ema", "ema.module", "", "model"));
  EXPECT_EQ(ReadLayout(key_map_.layouts[0], *checkpoint_)[0].rank, DictRank::kAveraged);
  // What only sounds like it is any dictionary.
  EXPECT_THAT(Paths({Dict("schema", "stem"), Dict("", "a")}), ElementsAre("", "schema"));
}

TEST_F(LayoutReadingTest, OfSeveralPathsOfOneDictionaryThePreferredOneIsUsed) {
  EXPECT_THAT(Paths({Dict("best", "a", {"teacher", "model", "x"})}), ElementsAre("model"));
  EXPECT_THAT(Paths({Dict("model", "a", {"ema", "x"})}), ElementsAre("ema"));
}

TEST_F(LayoutReadingTest, ALayoutIsRecognisedByItsStrippedKeys) {
  const LayoutReading reading = ReadRoot("module.stem");
  EXPECT_TRUE(reading.recognised());
  ASSERT_NE(reading.keys, nullptr);
  EXPECT_EQ(ReadKeys(reading), reading.keys);
}

// As torch's AveragedModel stores a model: "module.stem" beside "n_averaged".
TEST_F(LayoutReadingTest, WhatIsStrippedIsReadAlsoAsAPartBesideOtherKeys) {
  StateDict dict = Dict("", "module.stem");
  EXPECT_THAT(Paths({dict}), SizeIs(1));
  dict.tensors.push_back({"n_averaged", DType::kInt64, {}, {}, 0, 0});
  ASSERT_THAT(Paths({dict}), SizeIs(2));
  const std::vector<LayoutReading> readings = ReadLayout(key_map_.layouts[0], *checkpoint_);
  EXPECT_EQ(readings[1].prefix, "module.");
  EXPECT_EQ(readings[1].others, 0);
}

// Where "net." is not stripped, as it is not in every layout.
TEST_F(LayoutReadingTest, ADictionaryBehindAPrefixHasItsRank) {
  const auto rank_of = [&](StateDict dict, const std::string& other) {
    if (!other.empty()) dict.tensors.push_back({other, DType::kInt64, {}, {}, 0, 0});
    EXPECT_FALSE(Paths({Dict("model", "stem"), dict}).empty());
    return ReadLayout(key_map_.layouts[0], *checkpoint_).back().rank;
  };
  EXPECT_EQ(rank_of(Dict("model_ema", "net.stem"), ""), DictRank::kAveraged);
  EXPECT_EQ(rank_of(Dict("model_ema", "net.stem"), "n_averaged"), DictRank::kAveraged);
  EXPECT_EQ(rank_of(Dict("swa", "net.stem"), "n_averaged"), DictRank::kOther);
  EXPECT_EQ(rank_of(Dict("teacher", "net.stem"), ""), DictRank::kUnwrapped);
  StateDict beside = Dict("swa", "net.stem");
  beside.tensors.push_back({"loss.w", DType::kFloat32, {1}, {1}, 0, 0});
  EXPECT_EQ(rank_of(beside, ""), DictRank::kPart);
}

TEST_F(LayoutReadingTest, KeysOfALayoutThatIsNotRecognisedAreReadOnDemand) {
  const LayoutReading reading = ReadRoot("module.old");
  EXPECT_FALSE(reading.recognised());
  ASSERT_THAT(reading.unmatched, SizeIs(1));
  EXPECT_EQ(reading.unmatched[0]->text(), "stem");
  EXPECT_EQ(reading.keys, nullptr);
  EXPECT_EQ(ReadKeys(reading)->keys[0].name, "new");
}

// A dictionary with these keys.
StateDict DictOf(const std::string& path, const std::vector<std::string>& keys) {
  StateDict dict = {path, {}, {}};
  for (size_t i = 0; i < keys.size(); ++i) {
    dict.tensors.push_back({keys[i], DType::kFloat32, {1}, {1}, static_cast<int64_t>(i), 0});
  }
  return dict;
}

TEST_F(LayoutReadingTest, APartIsReadWhoseKeysBeginAlike) {
  EXPECT_THAT(Paths({DictOf("", {"net.stem", "net.a", "loss.w"})}), ElementsAre("", "net"));
  const LayoutReading part = ReadLayout(key_map_.layouts[0], *checkpoint_).back();
  EXPECT_EQ(part.prefix, "net.");
  EXPECT_EQ(part.others, 1);
  EXPECT_TRUE(part.recognised());
  EXPECT_THAT(part.dict->tensors, SizeIs(2));
  // Of whole dictionaries none is cut, and of a part none within it.
  EXPECT_THAT(Paths({DictOf("", {"stem", "net.stem"})}), ElementsAre(""));
  EXPECT_THAT(Paths({DictOf("teacher", {"net.stem", "net.net.stem"})}), ElementsAre("teacher", "teacher.net"));
}

TEST_F(LayoutReadingTest, EachPartOfADictionaryIsRead) {
  EXPECT_THAT(Paths({DictOf("model", {"teacher.net.stem", "student.net.stem", "head.w"})}),
              ElementsAre("model", "model.teacher.net", "model.student.net"));
  std::vector<std::string> keys;
  for (int i = 0; i < 20; ++i) keys.push_back(absl::StrCat("n", i, ".stem"));
  EXPECT_THAT(Paths({DictOf("", keys)}), SizeIs(1 + 8));
  EXPECT_THAT(Paths({DictOf("", {"1.2.3.4.5.6.stem", "1.2.3.4.5.6.7.stem"})}), ElementsAre("", "1.2.3.4.5.6"));
}

class SourceKeysTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(key_map_, ParseKeyMap({"keymap.yaml", R"yaml(layouts:
  original:
    recognise: ["{path*}"]
    prefix: model.
    strip: [module., ema.]
    renames:
      - {from: "old.{rest*}", to: "mid.{rest*}"}
      - {from: "mid.{rest*}", to: "new.{rest*}"}
)yaml"}));
  }

  const Layout& layout() const { return key_map_.layouts[0]; }

  std::shared_ptr<const SourceKeys> Rename(const std::vector<std::string>& keys) {
    dict_.tensors.clear();
    for (const std::string& key : keys) dict_.tensors.push_back({key, DType::kFloat32, {1}, {1}, 0, 0});
    return RenameKeys(layout(), dict_);
  }

  KeyMap key_map_;
  StateDict dict_;
};

std::vector<std::string> Names(const SourceKeys& keys) {
  std::vector<std::string> names;
  for (const SourceKey& key : keys.keys) names.emplace_back(key.name);
  return names;
}

TEST_F(SourceKeysTest, PrefixesOfToolsAreStrippedInAnyOrderAndAsOftenAsTheyOccur) {
  EXPECT_EQ(StripPrefixes(layout(), "module.model.ema.module.w"), "w");
  EXPECT_EQ(StripPrefixes(layout(), "w"), "w");
}

TEST_F(SourceKeysTest, ThePrefixIsStrippedOnce) {
  EXPECT_EQ(StripPrefixes(layout(), "model.model.w"), "model.w");
  EXPECT_EQ(StripPrefixes(layout(), "module.model.module.model.w"), "model.w");
}

TEST_F(SourceKeysTest, AKeyIsNeverStrippedToNothing) {
  EXPECT_EQ(StripPrefixes(layout(), "module."), "module.");
  EXPECT_EQ(StripPrefixes(layout(), "model.module."), "module.");
}

TEST_F(SourceKeysTest, RenamesAreAppliedInOrderAndKeysStayInFileOrder) {
  const auto keys = Rename({"model.old.b", "mid.c", "x"});
  EXPECT_THAT(Names(*keys), ElementsAre("new.b", "new.c", "x"));
  EXPECT_EQ(keys->by_name.at("new.b"), &dict_.tensors[0]);
  EXPECT_EQ(keys->by_name.at("x"), &dict_.tensors[2]);
  EXPECT_THAT(keys->collisions, IsEmpty());
  EXPECT_THAT(keys->idle_rules, IsEmpty());
}

TEST_F(SourceKeysTest, ARenameThatMatchesNoKeyIsIdle) {
  const auto keys = Rename({"mid.c"});
  ASSERT_THAT(keys->idle_rules, SizeIs(1));
  EXPECT_EQ(keys->idle_rules[0]->from.text(), "old.{rest*}");
}

TEST_F(SourceKeysTest, OldNamesAreRenamedBeforeAllElseAndNeedNotOccur) {
  ASSERT_OK_AND_ASSIGN(key_map_, ParseKeyMap({"keymap.yaml", R"yaml(layouts:
  original:
    recognise: ["stages.{rest*}"]
    strip: [module.]
    old_names:
      - {from: "layer1.{rest*}", to: "layers.0.{rest*}", reason: renamed in release 2}
      - {from: "layers.{i}.{rest*}", to: "stages.{i}.{rest*}", reason: renamed in release 3}
      - {from: "fc.{leaf}", to: "head.{leaf}", reason: renamed in release 3}
    renames:
      - {from: "stages.{i}.gamma", to: "stages.{i}.scale"}
)yaml"}));
  const auto keys = Rename({"module.layer1.gamma", "layers.1.w", "stages.2.w"});
  EXPECT_THAT(Names(*keys), ElementsAre("stages.0.scale", "stages.1.w", "stages.2.w"));
  ASSERT_THAT(keys->old_keys, SizeIs(2));
  EXPECT_EQ(keys->old_keys[0].rule->reason, "renamed in release 2");
  EXPECT_EQ(keys->old_keys[0].tensors, 1);
  EXPECT_EQ(keys->old_keys[1].tensors, 2);
  EXPECT_THAT(Rename({"stages.2.gamma"})->old_keys, IsEmpty());
}

TEST_F(SourceKeysTest, AKeyUnderBothOfItsNamesCollides) {
  ASSERT_OK_AND_ASSIGN(key_map_, ParseKeyMap({"keymap.yaml", R"yaml(layouts:
  original:
    recognise: [w]
    old_names: [{from: v, to: w, reason: renamed}]
)yaml"}));
  EXPECT_THAT(Rename({"v", "w"})->collisions, SizeIs(1));
}

TEST_F(SourceKeysTest, TwoKeysThatGetTheSameNameCollideAndTheFirstIsKept) {
  const auto keys = Rename({"old.w", "module.new.w"});
  ASSERT_THAT(keys->collisions, SizeIs(1));
  EXPECT_EQ(keys->collisions[0].name, "new.w");
  EXPECT_EQ(keys->collisions[0].first->key, "old.w");
  EXPECT_EQ(keys->collisions[0].second->key, "module.new.w");
  EXPECT_EQ(keys->by_name.at("new.w"), &dict_.tensors[0]);
}

}  // namespace

}  // namespace modelport
