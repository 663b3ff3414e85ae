// A matte of what points and a box mean in artifacts for Nuke. That it is the model's own, predict_prompt_test says.
#include <ATen/ops/equal.h>

#include <cstdint>
#include <map>
#include <string>

#include "gtest/gtest.h"
#include "tests/nuke/nuke_model.h"
#include "tests/support/test_models.h"

namespace modelport {
namespace {

using PromptKnobs = std::map<std::string, c10::IValue>;

class NukePromptTest : public testing::Test {
 protected:
  // The matte that the node gives with these knobs and, for all others, their defaults.
  at::Tensor Matte(const PromptKnobs& knobs) {
    NukeModel model = GetNukeModel(NukeTestModels("NukePrompt").front());
    PromptKnobs all = {{"side", 64}};
    all.insert(knobs.begin(), knobs.end());
    return model.Run(image_, all);
  }

  const at::Tensor image_ = SeededImage(1, 3, 31, 45);
};

TEST_F(NukePromptTest, ValuesOutOfRangeActLikeTheNearestInIt) {
  const at::Tensor at_edge = Matte({{"point_1_x", 1.0}, {"point_1_y", 0.0}});
  EXPECT_FALSE(at::equal(at_edge, Matte({})));
  EXPECT_TRUE(at::equal(at_edge, Matte({{"point_1_x", 3.0}, {"point_1_y", -2.0}})));
  EXPECT_TRUE(at::equal(Matte({{"point_1_is", 7}}), Matte({{"point_1_is", 2}})));
  EXPECT_TRUE(at::equal(Matte({{"point_1_is", -1}}), Matte({{"point_1_is", 0}})));
  EXPECT_TRUE(at::equal(Matte({{"mask", 9}}), Matte({{"mask", 4}})));
  EXPECT_TRUE(at::equal(Matte({{"side", 1}}), Matte({{"side", 32}})));
}

TEST_F(NukePromptTest, TheEdgesOfABoxMayBeSwapped) {
  const at::Tensor box =
      Matte({{"box", 1}, {"box_left", 0.2}, {"box_right", 1.0}, {"box_bottom", 0.0}, {"box_top", 0.6}});
  EXPECT_FALSE(at::equal(box, Matte({{"box", 1}})));
  EXPECT_TRUE(at::equal(
      box, Matte({{"box", 1}, {"box_left", 1.5}, {"box_right", 0.2}, {"box_bottom", 0.6}, {"box_top", -1.0}})));
}

}  // namespace
}  // namespace modelport
