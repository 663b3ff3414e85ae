// docs/onnx.md has the program of examples/onnx, which runs ONNX files.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(OnnxPageTest, HasTheProgramOfTheExample) {
  EXPECT_THAT(ReadFile(DataPath("docs/onnx.md")),
              HasSubstr(absl::StrCat("```cpp\n", ReadFile(DataPath("examples/onnx/run_onnx.cc")), "```\n")));
}

TEST(OnnxPageTest, TheProgramRunsAFileAtAnySize) {
  const std::string folder = EmptyFolder("onnx_page"), model = DepthModel();
  const ToolResult exported = RunTool("export",
                                      {absl::StrCat("--model=", model), "--weights=seeded", "--target=onnx",
                                       "--noverify", "--out=m.onnx", ExamplePlugins({"depth"})},
                                      folder);
  ASSERT_EQ(exported.exit_status, 0) << exported.err;
  for (const auto& [height, width] : {std::pair("28", "42"), std::pair("56", "14")}) {
    const ToolResult run = FinishTool(StartProgram("examples/onnx/run_onnx", {"m.onnx", height, width}, folder));
    EXPECT_EQ(run.exit_status, 0) << run.err;
    EXPECT_THAT(run.out, StartsWith(absl::StrCat("0 [1,", height, ",", width, "] ")));
  }
  const ToolResult other = FinishTool(StartProgram("examples/onnx/run_onnx", {"none.onnx", "28", "28"}, folder));
  EXPECT_EQ(other.exit_status, 1);
}

}  // namespace
}  // namespace modelport
