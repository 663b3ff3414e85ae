#include "targets/nuke/nuke_release.h"

#include <string>

#include "absl/status/status.h"
#include "common/runtime/runtime.h"
#include "common/status/status_matchers.h"
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
