#include "bench/measure.h"

#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(MeasureTest, ReturnsTheExitStatus) {
  EXPECT_EQ(Measure("true").exit_status, 0);
  EXPECT_EQ(Measure("sh -c 'exit 3'").exit_status, 3);
  EXPECT_EQ(Measure("/no/such/program").exit_status, 127);
  EXPECT_EQ(Measure("sh -c 'kill $$'").exit_status, 128);
}

TEST(MeasureTest, MeasuresTheCommandItself) {
  const Measurement run = Measure("sleep 0.1");
  EXPECT_GE(run.wall_seconds, 0.1);
  EXPECT_GE(run.cpu_seconds, 0);
  EXPECT_GT(run.peak_anon_bytes, 0);
}

TEST(ProcessMemoryTest, ReadsTheFieldsOfAProcess) {
  EXPECT_GT(ProcessMemory("self", "VmRSS"), 0);
  EXPECT_GE(ProcessMemory("self", "VmHWM"), ProcessMemory("self", "RssAnon"));
  EXPECT_EQ(ProcessMemory("self", "Name"), 0);
  EXPECT_EQ(ProcessMemory("0", "VmRSS"), 0);
}

TEST(MedianTest, IsTheUpperOfTheTwoInTheMiddle) {
  EXPECT_EQ(Median({3}), 3);
  EXPECT_EQ(Median({9, 1, 4}), 4);
  EXPECT_EQ(Median({9, 1, 4, 5}), 5);
}

TEST(MedianWallTest, IsTheMiddleOfTheWallTimes) {
  EXPECT_EQ(MedianWall({{.wall_seconds = 5}, {.wall_seconds = 1}, {.wall_seconds = 2}}), 2);
}

TEST(PeakAnonTest, IsTheLargestPeak) {
  EXPECT_EQ(PeakAnon({{.peak_anon_bytes = 5}, {.peak_anon_bytes = 7}, {.peak_anon_bytes = 2}}), 7);
}

}  // namespace
}  // namespace modelport
