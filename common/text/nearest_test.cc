#include "common/text/nearest.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NearestTest, FewestEditsFirstThenTheGivenOrder) {
  EXPECT_THAT(Nearest("dav2_vit", {"dinov2_vits14", "dav2_vits", "dav2_vitb", "dav2_vitl", "dav2_vitg"}),
              ElementsAre("dav2_vits", "dav2_vitb", "dav2_vitl"));
  EXPECT_THAT(Nearest("paramaters", {"buffers", "parameters"}), ElementsAre("parameters"));
}

TEST(NearestTest, APartOfANameIsNear) {
  EXPECT_THAT(Nearest("vits14", {"dinov2_vits14", "dav2_vits"}), ElementsAre("dinov2_vits14"));
}

TEST(NearestTest, NothingIsNearToSomethingElse) {
  EXPECT_THAT(Nearest("resnet50", {"dav2_vits", "dinov2_vits14"}), IsEmpty());
  EXPECT_THAT(Nearest("m", {"n"}), IsEmpty());
  EXPECT_THAT(Nearest("", {"dim"}), IsEmpty());
}

TEST(NearestTest, HintListsTheKnownNamesIfNoneIsNear) {
  EXPECT_EQ(NearestHint("dims", {"dim", "heads"}), "; nearest: dim");
  EXPECT_EQ(NearestHint("resnet", {"a", "b", "c", "d", "e", "f", "g"}), "; known: a, b, c, d, e, +2 more");
  EXPECT_EQ(NearestHint("dims", {}), "");
}

TEST(DescribeModulesTest, NamesOneAndCountsSeveral) {
  EXPECT_EQ(DescribeModules({""}), "the root module");
  EXPECT_EQ(DescribeModules({"head"}), "module head");
  EXPECT_EQ(DescribeModules({"", "a", "b", "c", "d", "e"}), "6 modules: the root, a, b, c, d, +1 more");
}

}  // namespace
}  // namespace modelport
