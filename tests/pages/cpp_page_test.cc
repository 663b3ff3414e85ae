// docs/cpp.md has the program of examples/cpp, which runs artifacts.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

TEST(CppPageTest, HasTheFilesOfTheExample) {
  const std::string page = ReadFile(DataPath("docs/cpp.md"));
  EXPECT_THAT(page, HasSubstr(absl::StrCat("```cpp\n", ReadFile(DataPath("examples/cpp/run_model.cc")), "```\n")));
  EXPECT_THAT(page, HasSubstr(absl::StrCat("```cmake\n", ReadFile(DataPath("examples/cpp/CMakeLists.txt")), "```\n")));
}

// Exports `model`, which may be one of `plugins` besides, and runs the program on it.
ToolResult RunExample(const std::string& model, const std::vector<std::string>& arguments,
                      const std::vector<std::string>& plugins = {}) {
  const std::string folder = EmptyFolder(model);
  std::vector<std::string> flags = {absl::StrCat("--model=", model), "--weights=seeded"};
  flags.insert(flags.end(), plugins.begin(), plugins.end());
  const ToolResult exported = RunTool("export", flags, folder);
  EXPECT_EQ(exported.exit_status, 0) << exported.err;
  std::vector<std::string> all = {absl::StrCat(model, ".pt")};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return FinishTool(StartProgram("examples/cpp/run_model", all, folder));
}

// What the program prints of `model`.
std::string Printed(const std::string& model, const std::vector<std::string>& arguments) {
  const ToolResult run = RunExample(model, arguments);
  EXPECT_EQ(run.exit_status, 0) << run.err;
  return run.out;
}

TEST(CppPageTest, NamesTheHeaderThatTheExampleDoesNotInclude) {
  EXPECT_THAT(ReadFile(DataPath("docs/cpp.md")), HasSubstr("`at::set_num_threads(1)` of `<ATen/Parallel.h>`"));
}

TEST(CppPageTest, TheExampleRunsWhatThePageSays) {
  EXPECT_THAT(Printed(ExampleModel("published features"), {}), HasSubstr("result               [1, 384]  "));
  EXPECT_THAT(Printed(ExampleModel("published depth"), {}), HasSubstr("result               [1, 280, 420]  "));
  const std::string views = Printed(ExampleModel("published views"), {"2"});
  EXPECT_THAT(views, HasSubstr("depth                [1, 2, 280, 420]  "));
  EXPECT_THAT(views, HasSubstr("extrinsics           [1, 2, 3, 4]  "));
}

TEST(CppPageTest, ModelsOfSeveralInputsRun) {
  const std::vector<std::string> plugins = {ExamplePlugins({"matte", "image between two", "points"})};
  const auto printed = [&](const std::string& need, const std::string& kind) {
    const ToolResult run = RunExample(ExampleModel(need), {kind}, plugins);
    EXPECT_EQ(run.exit_status, 0) << run.err;
    return run.out;
  };
  EXPECT_THAT(printed("matte", "trimap"), HasSubstr("result               [1, 1, 280, 420]  "));
  const std::string between = printed("image between two", "between");
  EXPECT_THAT(between, HasSubstr("image                [1, 3, 280, 420]  "));
  EXPECT_THAT(between, HasSubstr("flow                 [1, 4, 280, 420]  "));
  EXPECT_THAT(between, HasSubstr("mask                 [1, 1, 280, 420]  "));
  EXPECT_THAT(printed("points", "tokens"), HasSubstr("points               [1, 280, 420, 3]  "));
}

// What the page quotes of LibTorch.
TEST(CppPageTest, AWrongNumberOfArgumentsIsNamed) {
  const std::string page = ReadFile(DataPath("docs/cpp.md"));
  const struct {
    std::vector<std::string> kind;
    std::string message;
  } cases[] = {
      {{}, "forward() is missing value for argument 'trimap'"},
      {{"between"}, "Expected at most 3 argument(s) for operator 'forward', but received 4 argument(s)"},
      {{"tokens"}, "Expected a value of type 'Tensor' for argument 'trimap'"},
  };
  for (const auto& [kind, message] : cases) {
    const ToolResult run = RunExample(ExampleModel("matte"), kind, {ExamplePlugins({"matte"})});
    EXPECT_EQ(run.exit_status, 1);
    EXPECT_THAT(run.err, HasSubstr(message));
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_THAT(page, HasSubstr(message));
  }
}

TEST(CppPageTest, NoViewsAreAnError) {
  const ToolResult run = RunExample(ExampleModel("published views"), {"0"});
  EXPECT_EQ(run.exit_status, 1);
  const std::string message = "the input must have at least one view and one pixel";
  EXPECT_THAT(run.err, EndsWith(": " + message + "\n"));
  EXPECT_THAT(ReadFile(DataPath("docs/cpp.md")), HasSubstr(message));
}

// By which the page's table finds the cause.
TEST(CppPageTest, OneSentenceSaysWhatIsWrongWithTheCall) {
  const std::string page = ReadFile(DataPath("docs/cpp.md"));
  const ToolResult run = RunExample(ExampleModel("published depth"), {"2"});  // Views, for a model of one image.
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  const std::string sentence = run.err.substr(run.err.find(": ") + 2);
  EXPECT_THAT(page, HasSubstr(absl::StrCat("| `", absl::StripSuffix(sentence, "\n"), "` |")));
}

TEST(CppPageTest, TheExampleReportsErrors) {
  const ToolResult run = FinishTool(StartProgram("examples/cpp/run_model", {"none.pt"}, EmptyFolder("none")));
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_THAT(run.err, HasSubstr("none.pt: "));
}

}  // namespace
}  // namespace modelport
