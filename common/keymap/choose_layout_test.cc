// The messages of choose_layout are in key_mapper_test.
#include "common/keymap/choose_layout.h"

#include <memory>
#include <string>
#include <vector>

#include "common/checkpoint/checkpoint.h"
#include "common/keymap/header_checkpoint.h"
#include "common/keymap/key_map.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr char kKeyMap[] = R"yaml(layouts:
  original:
    recognise: [stem]
    unwrap: [model]
  timm:
    recognise: [first]
    renames: [{from: first, to: stem}]
)yaml";

class ChooseLayoutTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(key_map_, ParseKeyMap({"keymap.yaml", kKeyMap}));
    tree_.slots = {{"stem", {2}, false}};
  }

  void Open(const std::vector<std::pair<std::string, std::vector<std::string>>>& dicts) {
    std::vector<StateDict> state_dicts;
    for (const auto& [path, keys] : dicts) {
      state_dicts.push_back({path, {}, {}});
      for (const std::string& key : keys) {
        state_dicts.back().tensors.push_back({key, DType::kFloat32, {2}, {1}, 0, static_cast<int>(state_dicts.size())});
      }
    }
    checkpoint_ = std::make_unique<Checkpoint>(MakeHeaderCheckpoint("net.pth", std::move(state_dicts)));
  }

  absl::StatusOr<Comparison> Compare(const SourceChoice& choice = {}) {
    layouts_ = *ReadLayouts(*checkpoint_, key_map_, choice);
    return CompareInLayout(*checkpoint_, layouts_, tree_, "net", choice.layout_flag);
  }

  KeyMap key_map_;
  ModuleTree tree_;
  std::unique_ptr<Checkpoint> checkpoint_;
  std::vector<LayoutReadings> layouts_;
};

TEST_F(ChooseLayoutTest, TheLayoutThatIsRecognisedIsCompared) {
  Open({{"", {"first"}}});
  ASSERT_OK_AND_ASSIGN(const Comparison comparison, Compare());
  EXPECT_EQ(comparison.plan.layout, "timm");
  EXPECT_TRUE(comparison.fits());
  EXPECT_TRUE(FitsInLayout(layouts_, tree_));
}

TEST_F(ChooseLayoutTest, OfItsDictionariesTheFirstThatFitsIsCompared) {
  Open({{"", {"stem", "extra"}}, {"model", {"stem"}}});
  ASSERT_OK_AND_ASSIGN(const Comparison comparison, Compare());
  EXPECT_EQ(comparison.plan.state_dict, "model");
  EXPECT_TRUE(comparison.fits());
}

TEST_F(ChooseLayoutTest, IfNoneFitsTheFirstRecognisedIsCompared) {
  Open({{"", {"stem", "extra"}}, {"model", {"stem", "other"}}});
  ASSERT_OK_AND_ASSIGN(const Comparison comparison, Compare());
  EXPECT_EQ(comparison.plan.state_dict, "");
  EXPECT_THAT(comparison.unexpected, SizeIs(1));
  EXPECT_FALSE(FitsInLayout(layouts_, tree_));
}

TEST_F(ChooseLayoutTest, TwoDictionariesThatFitAreAmbiguousUnlessTheyAreTheSameTensors) {
  Open({{"", {"stem"}}, {"model", {"stem"}}});
  EXPECT_THAT(Compare(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("two dictionaries fit net and differ")));
  EXPECT_TRUE(FitsInLayout(layouts_, tree_));
  const CheckpointTensor tensor = {"stem", DType::kFloat32, {2}, {1}, 0, 0};
  checkpoint_ = std::make_unique<Checkpoint>(
      MakeHeaderCheckpoint("net.pth", std::vector<StateDict>{{"", {tensor}, {}}, {"model", {tensor}, {}}}));
  ASSERT_OK_AND_ASSIGN(const Comparison comparison, Compare());
  EXPECT_EQ(comparison.plan.state_dict, "");
}

TEST_F(ChooseLayoutTest, ANamedLayoutThatIsNotRecognisedIsComparedWhereItFillsMostSlots) {
  Open({{"", {"x"}}, {"model", {"y", "z"}}});
  key_map_.layouts[0].missing.clear();
  tree_.slots = {{"y", {2}, false}, {"stem", {2}, false}};
  ASSERT_OK_AND_ASSIGN(const Comparison comparison, Compare({"original"}));
  EXPECT_EQ(comparison.plan.state_dict, "model");
  EXPECT_FALSE(comparison.fits());
}

TEST_F(ChooseLayoutTest, AChosenDictionaryIsReadByEveryLayout) {
  Open({{"", {"stem"}}, {"ema.net", {"first"}}});
  ASSERT_OK_AND_ASSIGN(const std::vector<LayoutReadings> layouts,
                       ReadLayouts(*checkpoint_, key_map_, {"auto", "ema.net"}));
  ASSERT_THAT(layouts, SizeIs(2));
  for (const LayoutReadings& layout : layouts) {
    ASSERT_THAT(layout.readings, SizeIs(1));
    EXPECT_EQ(layout.readings[0].path, "ema.net");
    // The checkpoint's own text, so that a reading may outlive the choice.
    EXPECT_EQ(layout.readings[0].path.data(), checkpoint_->state_dicts()[1].path.data());
  }
  EXPECT_FALSE(layouts[0].readings[0].recognised());
  EXPECT_TRUE(layouts[1].readings[0].recognised());
}

TEST_F(ChooseLayoutTest, AnUnknownLayoutOrDictionaryIsTheUsersError) {
  Open({{"model", {"stem"}}});
  for (const SourceChoice& choice : {SourceChoice{"tim"}, SourceChoice{"auto", "modl"}}) {
    EXPECT_THAT(ReadLayouts(*checkpoint_, key_map_, choice),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("; nearest: ")));
  }
}

}  // namespace
}  // namespace modelport
