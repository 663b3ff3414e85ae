#include "tools/command/tool_call.h"

#include "gtest/gtest.h"

namespace modelport {
namespace {

// release/run_modelport_test.cc has the calls in the program of all tools.
TEST(ToolCallTest, EachToolIsATargetOfBazel) {
  EXPECT_EQ(ToolCall("list"), "bazel run //tools:list");
  EXPECT_EQ(ToolCall("list", "--x"), "bazel run //tools:list -- --x");
  EXPECT_EQ(PagePlace("json.md"), "docs/json.md");
}

TEST(ToolCallTest, InTheWorkspaceOfAnotherRepositoryTheCallNamesModelports) {
  EXPECT_EQ(RepositoryOf("/base/bazel-out/k8-opt/bin/external/modelport/tools/list/list"), "@modelport");
  EXPECT_EQ(RepositoryOf("/base/bazel-out/k8-opt/bin/external/port/tools/list/list"), "@port");
  EXPECT_EQ(RepositoryOf("/base/bazel-out/k8-opt/bin/tools/list/list"), "");
  EXPECT_EQ(RepositoryOf("/base/bazel-out/k8-opt/bin/external/modelport"), "");
  EXPECT_EQ(RepositoryOf(""), "");
}

}  // namespace
}  // namespace modelport
