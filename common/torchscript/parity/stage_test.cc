#include "common/torchscript/parity/stage.h"

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

Stage Parse(absl::string_view name) {
  auto stage = ParseStage(name);
  EXPECT_OK(stage);
  return stage.ok() ? *stage : Stage();
}

TEST(ParseStageTest, PathsMethodsInputsCallsAndElements) {
  EXPECT_EQ(Parse("blocks.2").path, "blocks.2");
  EXPECT_EQ(Parse("blocks.2").method, "forward");
  EXPECT_EQ(Parse("pretrained.prepare()").path, "pretrained");
  EXPECT_EQ(Parse("pretrained.prepare()").method, "prepare");
  EXPECT_EQ(Parse("prepare()").path, "");
  EXPECT_EQ(Parse("input of head.conv").side, Stage::Side::kInput);
  EXPECT_EQ(Parse("input of head.conv").path, "head.conv");
  EXPECT_EQ(Parse("input 2 of head.conv").argument, 2);
  EXPECT_EQ(Parse("attn.rope [3]").call, 3);
  EXPECT_EQ(Parse("attn.rope [3]").path, "attn.rope");
  EXPECT_EQ(Parse("backbone -> 0.depth").element, "0.depth");
  EXPECT_THAT(ParseStage(""), StatusIs(absl::StatusCode::kInvalidArgument, testing::HasSubstr("a stage is")));
}

TEST(ParseStageTest, RefusesNamesWithTwoReadings) {
  for (const char* name :
       {"rope [0] [1]", "rope [-1]", "rope [x]", "a() b()", "a.()", "()", "input input of a", "input -1 of a"}) {
    EXPECT_THAT(ParseStage(name), StatusIs(absl::StatusCode::kInvalidArgument, testing::EndsWith(name)));
  }
}

TEST(StageNameTest, IsTheShortestNameAndParsesAgain) {
  for (const char* name : {"blocks.2", "prepare()", "a.prepare()", "input of head.conv", "input 1 of head.conv",
                           "input of prepare() [1]", "attn.rope [3] -> 0.depth", "forward() -> 1"}) {
    EXPECT_EQ(StageName(Parse(name)), name);
  }
  EXPECT_EQ(StageName(Parse("blocks.2.forward()")), "blocks.2");
  EXPECT_EQ(StageName(Parse("input 0 of blocks.2 [0]")), "input of blocks.2");
}

}  // namespace
}  // namespace modelport
