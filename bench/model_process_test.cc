#include "bench/model_process.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A model that a shell plays.
absl::StatusOr<ModelProcess> Play(const std::string& script) {
  return ModelProcess::Start("played", {"sh", "-c", script}, {"LOADED=123"});
}

TEST(ModelProcessTest, AsksForRunsAndOutputs) {
  ASSERT_OK_AND_ASSIGN(ModelProcess process, Play(R"sh(echo ready $LOADED
      while read -r line; do
        case $line in
          "run 2 1,3,14,28 1200") echo 1.5 2.5 4096 ;;
          "save "*" depth") words=${line#save }; printf '\0\0\200\77' > ${words% depth}; echo saved ;;
          "save "*) printf '\0\0\0\100' > ${line#save }; echo saved ;;
        esac
      done)sh"));
  EXPECT_EQ(process.loaded_bytes(), 123);
  ASSERT_OK_AND_ASSIGN(const ModelRun run, process.Run("1,3,14,28 1200", 2));
  EXPECT_EQ(run.cpu_seconds, 1.5);
  EXPECT_EQ(run.wall_seconds, 2.5);
  EXPECT_EQ(run.peak_bytes, 4096);
  ASSERT_OK_AND_ASSIGN(const std::vector<float> depth, process.LastOutput(testing::TempDir(), "depth"));
  EXPECT_THAT(depth, ElementsAre(1.0f));
  ASSERT_OK_AND_ASSIGN(const std::vector<float> output, process.LastOutput(testing::TempDir(), ""));
  EXPECT_THAT(output, ElementsAre(2.0f));
}

TEST(ModelProcessTest, ADeadProcessIsNamed) {
  EXPECT_THAT(Play("exit 1"), StatusIs(absl::StatusCode::kInternal, HasSubstr("played: the process has ended")));
  EXPECT_THAT(Play("echo hello world"), StatusIs(absl::StatusCode::kInternal, HasSubstr("says hello world")));
  ASSERT_OK_AND_ASSIGN(ModelProcess process, Play("echo ready 1; read line"));
  EXPECT_THAT(process.Run("1", 1), StatusIs(absl::StatusCode::kInternal, HasSubstr("played: the process has ended")));
}

}  // namespace
}  // namespace modelport
