// docs/cpp.md has the program of examples/cpp, which runs artifacts.
#include <algorithm>
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

TEST(CppPageTest, HasTheFilesOfTheExample) {
  const std::string page = ReadFile(DataPath("docs/cpp.md"));
  EXPECT_THAT(page, HasSubstr(absl::StrCat("```cpp\n", ReadFile(DataPath("examples/cpp/run_model.cc")), "```\n")));
  EXPECT_THAT(page, HasSubstr(absl::StrCat("```cmake\n", ReadFile(DataPath("examples/cpp/CMakeLists.txt")), "```\n")));
}

// Exports `model` and returns what the program prints of it.
std::string Printed(const std::string& model, const std::vector<std::string>& arguments) {
  const std::string folder = EmptyFolder(model);
  const ToolResult exported = RunTool("export", {absl::StrCat("--model=", model), "--weights=seeded"}, folder);
  EXPECT_EQ(exported.exit_status, 0) << exported.err;
  std::vector<std::string> all = {absl::StrCat(model, ".pt")};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const ToolResult run = FinishTool(StartProgram("examples/cpp/run_model", all, folder));
  EXPECT_EQ(run.exit_status, 0) << run.err;
  return run.out;
}

TEST(CppPageTest, TheExampleRunsEveryKindOfModel) {
  EXPECT_THAT(Printed(ExampleModel("published features"), {}), HasSubstr("result               [1, 384]  "));
  EXPECT_THAT(Printed(ExampleModel("published depth"), {}), HasSubstr("result               [1, 280, 420]  "));
  const std::string views = Printed(ExampleModel("published views"), {"2"});
  EXPECT_THAT(views, HasSubstr("depth                [1, 2, 280, 420]  "));
  EXPECT_THAT(views, HasSubstr("extrinsics           [1, 2, 3, 4]  "));
}

TEST(CppPageTest, TheExampleReportsErrors) {
  const ToolResult run = FinishTool(StartProgram("examples/cpp/run_model", {"none.pt"}, EmptyFolder("none")));
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_THAT(run.err, HasSubstr("none.pt: "));
}

}  // namespace
}  // namespace modelport
