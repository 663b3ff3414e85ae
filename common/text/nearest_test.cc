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
  EXPECT_THAT(Nearest("dav2_vit", {"dinov2_vits14", "dav2_vits", "dav2_vitb", "dav2_vitl", "dav2_vitg"}),
              ElementsAre("dav2_vits", "dav2_vitb", "dav2_vitl"));
  EXPECT_THAT(Nearest("paramaters", {"buffers", "parameters"}), ElementsAre("parameters"));
}

TEST(NearestTest, ANameIsNearToItsParts) {
  EXPECT_THAT(Nearest("vits14", {"dinov2_vits14", "dav2_vits"}), ElementsAre("dinov2_vits14"));
}

TEST(NearestTest, UnrelatedNamesAreNotNear) {
  EXPECT_THAT(Nearest("resnet50", {"dav2_vits", "dinov2_vits14"}), IsEmpty());
  EXPECT_THAT(Nearest("m", {"n"}), IsEmpty());
  EXPECT_THAT(Nearest("", {"dim"}), IsEmpty());
}

TEST(NearestTest, HintListsTheKnownNamesIfNoneIsNear) {
  EXPECT_EQ(NearestHint("dims", {"dim", "heads"}), "; nearest: dim");
  EXPECT_EQ(NearestHint("resnet", {"a", "b", "c", "d", "e", "f", "g"}), "; known: a, b, c, d, e, +2 more");
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
