#include "common/text/nearest.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NearestTest, FewestEditsFirstThenTheGivenOrder) {
  EXPECT_THAT(Nearest("depth_net", {"features_net14", "depth_nets", "depth_netb", "depth_netl", "depth_netg"}),
              ElementsAre("depth_nets", "depth_netb", "depth_netl"));
  EXPECT_THAT(Nearest("paramaters", {"buffers", "parameters"}), ElementsAre("parameters"));
}

TEST(NearestTest, ANameIsNearToItsParts) {
  EXPECT_THAT(Nearest("nets14", {"features_nets14", "depth_nets"}), ElementsAre("features_nets14"));
}

TEST(NearestTest, UnrelatedNamesAreNotNear) {
  EXPECT_THAT(Nearest("classes50", {"depth_nets", "features_nets14"}), IsEmpty());
  EXPECT_THAT(Nearest("m", {"n"}), IsEmpty());
  EXPECT_THAT(Nearest("", {"dim"}), IsEmpty());
}

TEST(NearestTest, HintListsTheKnownNamesIfNoneIsNear) {
  EXPECT_EQ(NearestHint("dims", {"dim", "heads"}), "; nearest: dim");
  EXPECT_EQ(NearestHint("classes", {"a", "b", "c", "d", "e", "f", "g"}), "; known: a, b, c, d, e, +2 more");
  EXPECT_EQ(NearestHint("dims", {}), "");
}

TEST(NearestTest, CountsEveryKindOfEdit) {
  // A name of 8 characters may have 3 edits.
  for (const char* near : {"abcdefgh", "abXdefgh", "bcdefgh", "Xabcdefgh", "XbXdXfgh", "defgh", "abcdefghXYZ"}) {
    EXPECT_THAT(Nearest("abcdefgh", {near}), ElementsAre(near));
  }
  for (const char* far : {"XbXdXfXh", "efgh", "hgfedcba"}) {
    EXPECT_THAT(Nearest("abcdefgh", {far}), IsEmpty()) << far;
  }
}

TEST(NearestTest, SkipsLongNamesAndCandidatesAfterTheFirst4096) {
  const std::string huge(1 << 20, 'a');
  EXPECT_THAT(Nearest(huge, {huge}), IsEmpty());
  EXPECT_THAT(Nearest("aaaa", {huge, "aaab"}), ElementsAre("aaab"));
  std::vector<std::string> many(100'000, std::string(100, 'x'));
  many.push_back("aaab");
  EXPECT_THAT(Nearest("aaaa", many), IsEmpty());
}

TEST(NearestTest, NamesAreShownPrintableAndInBrief) { EXPECT_THAT(Nearest("dim", {"dim\n"}), ElementsAre("dim\\n")); }

}  // namespace
}  // namespace modelport
