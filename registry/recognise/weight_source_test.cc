#include "registry/recognise/weight_source.h"

#include <cstdint>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(SeededNameTest, ComesBack) {
  for (const uint64_t seed : {uint64_t{0}, uint64_t{7}, UINT64_MAX}) {
    const absl::optional<Seeded> back = ParseSeededName(SeededName({seed}));
    ASSERT_TRUE(back.has_value()) << seed;
    EXPECT_EQ(back->seed, seed);
  }
}

TEST(SeededNameTest, NothingElseIsOne) {
  for (const char* name : {"", "seeded", "seeded:v1:", "seeded:v2:0", "seeded:v1:00", "seeded:v1: 0", "seeded:v1:+0",
                           "seeded:v1:-1", "seeded:v1:18446744073709551616", "sha256:00"}) {
    EXPECT_FALSE(ParseSeededName(name).has_value()) << name;
  }
}

TEST(CheckpointPathTest, SeededWeightsHaveNone) {
  EXPECT_THAT(CheckpointPaths(Seeded{1}), testing::IsEmpty());
  EXPECT_THAT(CheckpointPaths(CheckpointFiles{{"m.pth"}, {"n.pth"}}), testing::ElementsAre("m.pth", "n.pth"));
}

}  // namespace
}  // namespace modelport
