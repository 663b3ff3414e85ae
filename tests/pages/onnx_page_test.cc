// docs/onnx.md has the program of examples/onnx, which runs ONNX files.
#include <fnmatch.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
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

// What stands in backticks in the first cells of the table that begins with `head`.
std::vector<std::string> FirstCells(const std::string& page, const std::string& head) {
  std::vector<std::string> names;
  bool is_inside = false;
  for (const absl::string_view line : absl::StrSplit(page, '\n')) {
    is_inside = line == head || (is_inside && absl::StartsWith(line, "|"));
    if (!is_inside) continue;
    const std::vector<absl::string_view> cells = absl::StrSplit(line, '|');
    const std::vector<std::string> quoted = absl::StrSplit(cells[1], '`');
    for (size_t i = 1; i < quoted.size(); i += 2) names.push_back(quoted[i]);
  }
  return names;
}

TEST(OnnxPageTest, SaysOfEachModelWhichSizesItsFileHas) {
  const std::vector<std::string> names = FirstCells(ReadFile(DataPath("docs/onnx.md")), "| models | sizes | |");
  ASSERT_FALSE(names.empty());
  const auto matches = [](const std::string& name, const CatalogEntry& entry) {
    return fnmatch(name.c_str(), entry.variant->name.c_str(), 0) == 0;
  };
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {}));
  const auto catalog = registry.catalog();
  for (const CatalogEntry& entry : catalog) {
    EXPECT_TRUE(std::any_of(names.begin(), names.end(), [&](const std::string& name) { return matches(name, entry); }))
        << entry.variant->name << " is in no row";
  }
  for (const std::string& name : names) {
    EXPECT_TRUE(
        std::any_of(catalog.begin(), catalog.end(), [&](const CatalogEntry& entry) { return matches(name, entry); }))
        << name << " is no model";
  }
}

}  // namespace
}  // namespace modelport
