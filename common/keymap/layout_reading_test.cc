#include "common/keymap/layout_reading.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

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

TEST_F(LayoutReadingTest, OtherDictionariesAndThoseNestedTooDeepAreNotRead) {
  EXPECT_THAT(Paths({Dict("optimizer", "a"), Dict("model.optimizer", "a")}), IsEmpty());
  EXPECT_THAT(Paths({Dict("model.model.model.model", "a"), Dict("model.model.model.model.model", "a")}),
              ElementsAre("model.model.model.model"));
}

TEST_F(LayoutReadingTest, OfSeveralPathsOfOneDictionaryThePreferredOneIsUsed) {
  EXPECT_THAT(Paths({Dict("ema", "a", {"teacher", "model", "x"})}), ElementsAre("model"));
}

TEST_F(LayoutReadingTest, ALayoutIsRecognisedByItsStrippedKeys) {
  const LayoutReading reading = ReadRoot("module.stem");
  EXPECT_TRUE(reading.recognised());
  ASSERT_NE(reading.keys, nullptr);
  EXPECT_EQ(ReadKeys(reading), reading.keys);
}

TEST_F(LayoutReadingTest, KeysOfALayoutThatIsNotRecognisedAreReadOnDemand) {
  const LayoutReading reading = ReadRoot("module.old");
  EXPECT_FALSE(reading.recognised());
  ASSERT_THAT(reading.unmatched, SizeIs(1));
  EXPECT_EQ(reading.unmatched[0]->text(), "stem");
  EXPECT_EQ(reading.keys, nullptr);
  EXPECT_EQ(ReadKeys(reading)->keys[0].name, "new");
}

}  // namespace
}  // namespace modelport
