#include "tools/request/given_files.h"

#include <vector>

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

TEST(SourceFlagsTest, HaveOneValueForAllFilesOrOneForEach) {
  FlagGroup group;
  const SourceFlags flags(group, "from");
  ASSERT_OK(ParseFlags(group, std::vector<const char*>{"--from=timm,auto", "--state_dict=ema"}).status());
  ASSERT_OK_AND_ASSIGN(const CheckpointFiles files, flags.Files({"a", "b"}));
  EXPECT_EQ(files[0].choice.layout, "timm");
  EXPECT_EQ(files[1].choice.layout, "auto");
  EXPECT_EQ(files[1].path, "b");
  EXPECT_EQ(files[0].choice.state_dict, "ema");
  EXPECT_EQ(files[1].choice.state_dict, "ema");
  EXPECT_THAT(flags.Files({"a", "b", "c"}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("--from=timm,auto: wants one value, or one for each of 3 checkpoints, has 2")));
}

}  // namespace
}  // namespace modelport
