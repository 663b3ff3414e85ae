// Exports of the same weights in every layout: the artifacts have the same bytes, and the manifests beside them name
// the layout.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/case_table.h"
#include "tests/support/layout_file.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

using ::testing::HasSubstr;

struct File {
  std::string layout, model;
};

class LayoutsExportTest : public testing::TestWithParam<File> {
 protected:
  // Exports the model, from `weights`, to NAME.pt.
  void Export(const std::string& weights, const std::string& name) {
    const ToolResult result = RunTool(
        "export",
        {"--model=" + GetParam().model, weights, "--plugin_path=" + DataPath("models"), "--out=" + name + ".pt"},
        folder_);
    ASSERT_EQ(result.exit_status, 0) << result.err;
  }

  const std::string folder_ = EmptyFolder("layouts_export");
};

TEST_P(LayoutsExportTest, TheArtifactHasTheBytesOfTheExportOfUpstreamsFile) {
  const auto& [layout, model] = GetParam();
  Export(absl::StrCat("--checkpoint=", LayoutFile("original", model)), "original");
  Export(absl::StrCat("--checkpoint=", LayoutFile(layout, model)), "other");
  EXPECT_TRUE(ReadFile(folder_ + "/original.pt") == ReadFile(folder_ + "/other.pt"));
  EXPECT_THAT(ReadFile(folder_ + "/other.manifest.json"), HasSubstr(absl::StrCat("\"layout\": \"", layout, "\"")));
}

// Those of transformers; timm's are not wholly upstream's weights.
std::vector<File> Files() {
  std::vector<File> files;
  for (const Case& fields : ReadFamilyTables("layouts.txt")) {
    const std::string layout = Text(fields, "layout");
    if (layout != "timm") files.push_back({layout, Text(fields, "model")});
  }
  return files;
}

INSTANTIATE_TEST_SUITE_P(All, LayoutsExportTest, testing::ValuesIn(Files()),
                         [](const auto& info) { return absl::StrCat(info.param.layout, "_", info.param.model); });

}  // namespace
}  // namespace modelport
