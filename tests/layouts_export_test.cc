// Exports of the same weights in every layout: the artifacts differ in nothing but the manifest within, which names the
// checkpoint and its layout.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/archive/artifact_file.h"
#include "common/manifest/manifest.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/tool_process.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
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

// The names of the records that differ.
std::vector<std::string> DifferentRecords(const ArtifactFile& a, const ArtifactFile& b) {
  std::vector<std::string> names;
  EXPECT_EQ(a.records().size(), b.records().size());
  for (size_t i = 0; i < a.records().size() && i < b.records().size(); ++i) {
    EXPECT_EQ(a.records()[i].name, b.records()[i].name);
    if (a.records()[i].bytes != b.records()[i].bytes) names.emplace_back(a.records()[i].name);
  }
  return names;
}

TEST_P(LayoutsExportTest, OnlyTheManifestWithinDiffersFromTheExportOfUpstreamsFile) {
  const auto& [layout, model] = GetParam();
  Export("--weights=seeded", "original");
  Export(absl::StrCat("--checkpoint=",
                      DataPath(absl::StrCat("tests/checkpoints/layouts/", layout, "/", model, ".safetensors"))),
         "other");
  ASSERT_OK_AND_ASSIGN(const ArtifactFile original, ArtifactFile::Open(folder_ + "/original.pt"));
  ASSERT_OK_AND_ASSIGN(const ArtifactFile other, ArtifactFile::Open(folder_ + "/other.pt"));
  EXPECT_THAT(DifferentRecords(original, other), ElementsAre(absl::StrCat("archive/extra/", kManifestExtraFile)));
  EXPECT_THAT(ReadFile(folder_ + "/other.manifest.json"), HasSubstr(absl::StrCat("\"layout\": \"", layout, "\"")));
}

std::vector<File> Files() {
  std::vector<File> files;
  for (const std::string layout : {"transformers", "transformers_v5_internal"}) {
    for (const std::string model : {"tiny_dinov2", "tiny_dinov2_reg", "tiny_dinov2_swiglu_reg", "tiny_dav2"}) {
      files.push_back({layout, model});
    }
  }
  return files;
}

INSTANTIATE_TEST_SUITE_P(All, LayoutsExportTest, testing::ValuesIn(Files()),
                         [](const auto& info) { return absl::StrCat(info.param.layout, "_", info.param.model); });

}  // namespace
}  // namespace modelport
