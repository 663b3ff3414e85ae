#include "tools/command/user_path.h"

#include <cstdlib>

#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(ResolveUserPathTest, IsRelativeToWhereTheUserStands) {
  unsetenv("MODELPORT_WORKING_DIRECTORY");
  unsetenv("BUILD_WORKING_DIRECTORY");
  EXPECT_EQ(ResolveUserPath("m.pt"), "m.pt");
  setenv("BUILD_WORKING_DIRECTORY", "/home/user", 1);
  EXPECT_EQ(ResolveUserPath("m.pt"), "/home/user/m.pt");
  EXPECT_EQ(ResolveUserPath("../m.pt"), "/home/m.pt");
  EXPECT_EQ(ResolveUserPath("/tmp/m.pt"), "/tmp/m.pt");
  setenv("MODELPORT_WORKING_DIRECTORY", "/shots", 1);
  EXPECT_EQ(ResolveUserPath("m.pt"), "/shots/m.pt");
}

}  // namespace
}  // namespace modelport
