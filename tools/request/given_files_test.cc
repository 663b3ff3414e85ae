#include "tools/request/given_files.h"

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::HasSubstr;

TEST(ArtifactPathTest, IsGivenByTheFlagOrBesideTheFlags) {
  EXPECT_EQ(*ArtifactPath("/a/m.pt", {}), "/a/m.pt");
  EXPECT_EQ(*ArtifactPath("", {"/a/m.pt"}), "/a/m.pt");
}

TEST(ArtifactPathTest, IsOneFile) {
  EXPECT_THAT(ArtifactPath("", {}), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--artifact=FILE")));
  EXPECT_THAT(ArtifactPath("/a/m.pt", {"/a/n.pt"}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("has 2: /a/n.pt, /a/m.pt")));
}

}  // namespace
}  // namespace modelport
