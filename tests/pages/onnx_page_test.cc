// docs/onnx.md has the program of examples/onnx, which runs ONNX files, and says of each model what its file is.
#include <fnmatch.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "artifact/build/build_artifact.h"
#include "artifact/format/built_module.h"
#include "artifact/format/onnx/convert.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "common/status/status_matchers.h"
#include "common/tensor/shape.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "targets/targets.h"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(OnnxPageTest, HasTheProgramsOfTheExamples) {
  for (const char* program : {"run_onnx.cc", "run_onnx_runtime.cc"}) {
    EXPECT_THAT(
        ReadFile(DataPath("docs/onnx.md")),
        HasSubstr(absl::StrCat("```cpp\n", ReadFile(DataPath(absl::StrCat("examples/onnx/", program))), "```\n")));
  }
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

// The cells of the rows below the table's line `head`, without the spaces around them and the line of dashes.
std::vector<std::vector<std::string>> Table(const std::string& page, const std::string& head) {
  std::vector<std::vector<std::string>> rows;
  bool is_inside = false;
  for (const absl::string_view line : absl::StrSplit(page, '\n')) {
    if (line == head) {
      is_inside = true;
      continue;
    }
    is_inside = is_inside && absl::StartsWith(line, "|");
    if (!is_inside || absl::StartsWith(line, "|:")) continue;
    std::vector<std::string>& cells = rows.emplace_back(absl::StrSplit(line.substr(1, line.size() - 2), '|'));
    for (std::string& cell : cells) absl::StripAsciiWhitespace(&cell);
  }
  return rows;
}

// What stands in backticks in a cell.
std::vector<std::string> Quoted(const std::string& cell) {
  const std::vector<std::string> parts = absl::StrSplit(cell, '`');
  std::vector<std::string> quoted;
  for (size_t i = 1; i < parts.size(); i += 2) quoted.push_back(parts[i]);
  return quoted;
}

TEST(OnnxPageTest, SaysOfEachModelWhichSizesItsFileHas) {
  std::vector<std::string> names;
  for (const std::vector<std::string>& row : Table(ReadFile(DataPath("docs/onnx.md")), "| models | sizes | |")) {
    for (std::string& name : Quoted(row[0])) names.push_back(std::move(name));
  }
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

// "B=1,N=4"; none of "free".
std::map<std::string, int64_t> SizesOf(const std::string& cell) {
  std::map<std::string, int64_t> sizes;
  if (cell == "free") return sizes;
  for (const std::string& size : std::vector<std::string>(absl::StrSplit(cell, ','))) {
    const std::pair<std::string, std::string> ends = absl::StrSplit(size, '=');
    EXPECT_TRUE(absl::SimpleAtoi(ends.second, &sizes[ends.first])) << cell;
  }
  return sizes;
}

// The number of nodes in the ONNX file of a model with these sizes.
absl::StatusOr<int> CountNodes(const Registry& registry, const CatalogEntry& entry,
                               const std::map<std::string, int64_t>& sizes) {
  ArtifactRequest request = {.entry = entry, .weights = Seeded{0}};
  ASSIGN_OR_RETURN(request.target, FindTarget("onnx"));
  ASSIGN_OR_RETURN(ArtifactPlan plan, PlanArtifact(registry, request));
  ASSIGN_OR_RETURN(const Artifact artifact, BuildArtifact(request, std::move(plan)));
  const EntryPoint& forward = *FindEntryPoint(artifact.built->entry_points, "forward");
  ASSIGN_OR_RETURN(const onnx::ConvertedModel converted, onnx::Convert(*artifact.built->module, forward, sizes));
  return converted.model.graph.node_size();
}

// A graph that grows shows here. Larger models have the code of smaller ones.
TEST(OnnxPageTest, TheNodesOfSmallModelsAreThoseOfTheirFiles) {
  constexpr int64_t kMostParameters = 30'000'000;
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {}));
  int compared = 0;
  for (const std::vector<std::string>& row :
       Table(ReadFile(DataPath("docs/onnx.md")),
             "| model | nodes | largest difference | the artifact's own | time | sizes |")) {
    ASSERT_THAT(Quoted(row[0]), testing::SizeIs(1));
    ASSERT_OK_AND_ASSIGN(const CatalogEntry entry, registry.Find(Quoted(row[0])[0]));
    ASSERT_OK_AND_ASSIGN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, entry.variant->module));
    if (CountParameters(tree) > kMostParameters) continue;
    ASSERT_OK_AND_ASSIGN(const int nodes, CountNodes(registry, entry, SizesOf(row[5])));
    EXPECT_EQ(absl::StrCat(nodes), row[1]) << entry.variant->name;
    ++compared;
  }
  EXPECT_GT(compared, 10);
}

}  // namespace
}  // namespace modelport
