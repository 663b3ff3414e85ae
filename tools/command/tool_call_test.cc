#include "tools/command/tool_call.h"

#include "gtest/gtest.h"

namespace modelport {
namespace {

// release/run_modelport_test.cc has the calls in the program of all tools.
TEST(ToolCallTest, EachToolIsATargetOfBazel) {
  EXPECT_EQ(ToolCall("list"), "bazel run //tools:list");
  EXPECT_EQ(ToolCall("list", "--x"), "bazel run //tools:list -- --x");
}

}  // namespace
}  // namespace modelport
