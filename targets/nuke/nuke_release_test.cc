#include "targets/nuke/nuke_release.h"

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/runtime/runtime.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(NukeReleasesTest, GoFromOldToNewAndHaveKnownRuntimes) {
  ASSERT_FALSE(NukeReleases().empty());
  std::string previous(NukeReleases()[0].runtime);
  for (const NukeRelease& release : NukeReleases()) {
    EXPECT_OK(FindRuntime(release.runtime).status());
    EXPECT_TRUE(IsAtLeast(release.runtime, previous)) << release.versions;
    previous = std::string(release.runtime);
  }
}

TEST(NukeReleasesTest, VersionsNameTheFirstAndTheLastOfEach) {
  for (const NukeRelease& release : NukeReleases()) {
    const std::vector<std::string> each = absl::StrSplit(release.each, ' ');
    EXPECT_EQ(release.versions, each.size() == 1 ? each[0] : absl::StrCat(each.front(), " to ", each.back()));
    EXPECT_THAT(each, testing::Contains(release.first));
  }
}

TEST(RuntimeOfNukeTest, IsTheLibTorchOfThatVersion) {
  const struct {
    const char *version, *runtime;
  } cases[] = {{"13", "1.6"},          {"13.2", "1.6"},       {"14", "1.12"},     {"14.1", "1.12"},   {"15", "1.12"},
               {"15.0", "1.12"},       {"15.1", "2.1"},       {"15.2", "2.1"},    {"16", "2.1"},      {"16.0", "2.1"},
               {"17", "2.7"},          {"17.0", "2.7"},       {"14.0v5", "1.12"}, {"15.1v12", "2.1"}, {"v14", "1.12"},
               {"Nuke14.0v5", "1.12"}, {"NukeX 15.1", "2.1"}, {"nuke13", "1.6"}};
  for (const auto& c : cases) {
    ASSERT_OK_AND_ASSIGN(const std::string runtime, RuntimeOfNuke(c.version));
    EXPECT_EQ(runtime, c.runtime) << c.version;
  }
}

// The table of --nuke in docs/studio.md has a row for each LibTorch, with every version and number that means it.
TEST(RuntimeOfNukeTest, ThePageForStudiosNamesEachVersion) {
  std::ifstream stream("docs/studio.md");
  const std::string page(std::istreambuf_iterator<char>(stream), {});
  for (const NukeRelease& release : NukeReleases()) {
    std::vector<std::string> names;
    for (const absl::string_view version : absl::StrSplit(release.each, ' ')) {
      const std::string number(version.substr(0, version.find('.')));
      ASSERT_OK_AND_ASSIGN(const std::string runtime, RuntimeOfNuke(number));
      const bool is_first = names.empty() || names.back().compare(1, number.size(), number) != 0;
      if (is_first && runtime == release.runtime) names.push_back(absl::StrCat("`", number, "`"));
      names.push_back(absl::StrCat("`", version, "`"));
    }
    EXPECT_THAT(page,
                testing::HasSubstr(absl::StrCat("\n| ", absl::StrJoin(names, ", "), " | ", release.runtime, " |\n")));
  }
}

TEST(RuntimeOfNukeTest, AnUnknownVersionIsAnErrorThatNamesTheKnownOnes) {
  for (const char* version : {"12", "16.1", "18", "1", "", "14.", "14v", "v3", "14.0vx", "14.0 "}) {
    EXPECT_THAT(RuntimeOfNuke(version),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         testing::HasSubstr("known: 13.0, 13.1, 13.2, 14.0, 14.1, 15.0, 15.1, 15.2, 16.0, 17.0")))
        << version;
  }
}

TEST(RuntimeOfNukeTest, AnUnknownVersionIsMadeForAnOlderOne) {
  for (const auto& [version, hint] :
       {std::pair("16.1", "make it for Nuke 16.0 or older"), std::pair("18", "make it for Nuke 17.0 or older")}) {
    EXPECT_THAT(RuntimeOfNuke(version), StatusIs(absl::StatusCode::kInvalidArgument, testing::HasSubstr(hint)));
  }
  EXPECT_THAT(RuntimeOfNuke("12"),
              StatusIs(absl::StatusCode::kInvalidArgument, testing::Not(testing::HasSubstr("make it for"))));
}

TEST(NukesThatLoadTest, AreThoseOfThatRuntimeAndOfNewerOnes) {
  EXPECT_EQ(NukesThatLoad("1.6"), "Nuke 13.0 to 13.2, 14.0 to 15.0, 15.1 to 16.0, 17.0");
  EXPECT_EQ(NukesThatLoad("2.1"), "Nuke 15.1 to 16.0, 17.0");
  EXPECT_EQ(NukesThatLoad("2.13"), "no Nuke");
  EXPECT_EQ(NukesThatLoad(""), "no Nuke");
}

TEST(OldestNukeTest, IsTheFirstThatLoadsTheArtifact) {
  const struct {
    const char *minimum_runtime, *first;
  } cases[] = {{"1.6", "13.1"}, {"1.12", "14.0"}, {"2.1", "15.1"}, {"2.7", "17.0"}};
  for (const auto& c : cases) {
    ASSERT_OK_AND_ASSIGN(const NukeRelease release, OldestNuke(c.minimum_runtime));
    EXPECT_EQ(release.first, c.first) << c.minimum_runtime;
  }
}

TEST(OldestNukeTest, AnArtifactThatNoNukeLoadsIsAnErrorThatNamesTheNewest) {
  for (const char* minimum_runtime : {"2.13", ""}) {
    EXPECT_THAT(OldestNuke(minimum_runtime),
                StatusIs(absl::StatusCode::kFailedPrecondition, testing::HasSubstr("Nuke 17.0 has 2.7.1")));
  }
}

}  // namespace
}  // namespace modelport
