#include "common/keymap/likeness.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/keymap/header_checkpoint.h"
#include "common/module_tree/module_library.h"
#include "common/status/status_matchers.h"
#include "common/tensor/shape.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

constexpr char kLikenessKeyMap[] = R"yaml(layouts:
  original:
    recognise: [stem]
  renamed:
    recognise: [first]
    renames:
      - {from: first, to: stem}
      - {from: second, to: head}
)yaml";

class LikenessTest : public testing::Test {
 protected:
  void SetUp() override {
    auto library = std::make_shared<ModuleLibrary>();
    ASSERT_OK(library->AddFile({"m.yaml", "modules:\n  Net(): {parameters: {stem: [2, 3], head: [4]}}\n"}));
    ASSERT_OK_AND_ASSIGN(const Call call, ParseCall("Net()"));
    ASSERT_OK_AND_ASSIGN(tree_, BuildModuleTree(library, call));
    ASSERT_OK_AND_ASSIGN(key_map_, ParseKeyMap({"keymap.yaml", kLikenessKeyMap}));
  }

  Likeness::Score Score(const std::vector<std::pair<std::string, Shape>>& keys) {
    StateDict dict;
    for (const auto& [key, shape] : keys) {
      dict.tensors.push_back({key, DType::kFloat32, shape, RowMajorStrides(shape), 0, 0});
    }
    const Checkpoint checkpoint = MakeHeaderCheckpoint("net.pth", {dict});
    const absl::StatusOr<Likeness> likeness = Likeness::Make(checkpoint, key_map_, {});
    EXPECT_OK(likeness.status());
    return likeness->Of(tree_);
  }

  ModuleTree tree_;
  KeyMap key_map_;
};

TEST_F(LikenessTest, AllNamesAndShapesGiveOne) {
  const Likeness::Score score = Score({{"head", {4}}, {"stem", {2, 3}}});
  EXPECT_EQ(score.share, 1);
  EXPECT_EQ(score.layout, "original");
}

TEST_F(LikenessTest, NamesWithoutTheirShapesCountHalf) {
  EXPECT_EQ(Score({{"head", {5}}, {"stem", {3, 2}}}).share, 0.5);
}

TEST_F(LikenessTest, KeysThatTheModelLacksCountAgainstIt) {
  EXPECT_EQ(Score({{"head", {4}}, {"stem", {2, 3}}, {"a", {1}}, {"b", {1}}}).share, 4.0 / 6);
}

TEST_F(LikenessTest, TheLayoutThatExplainsMostIsNamed) {
  const Likeness::Score score = Score({{"second", {4}}, {"stem", {2, 3}}});
  EXPECT_EQ(score.share, 1);
  EXPECT_EQ(score.layout, "renamed");
}

TEST_F(LikenessTest, VeryManyKeysAreLeftOut) {
  std::vector<std::pair<std::string, Shape>> keys = {{"head", {4}}, {"stem", {2, 3}}};
  for (int i = 0; i < 100000; ++i) keys.emplace_back(absl::StrCat("k", i), Shape{1});
  EXPECT_EQ(Score(keys).share, 0);
}

TEST_F(LikenessTest, VeryLongKeysAreLeftOut) {
  EXPECT_EQ(Score({{"head", {4}}, {"stem", {2, 3}}, {std::string(17 << 20, 'x'), {1}}}).share, 0);
}

}  // namespace
}  // namespace modelport
