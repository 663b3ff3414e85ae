#include "artifact/export/export_outputs.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "common/io/input_record.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// A folder in which the tests stand.
class ExportOutputsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/outputs_XXXXXX";
    folder_ = fs::canonical(mkdtemp(pattern.data()));
    fs::current_path(folder_);
  }

  // Commits two files.
  absl::Status Write(const std::string& out) const {
    absl::StatusOr<ExportOutputs> outputs = OpenExportOutputs(out);
    if (!outputs.ok()) return outputs.status();
    EXPECT_OK(outputs->artifact.Write("artifact"));
    EXPECT_OK(outputs->manifest.Write("manifest"));
    return outputs->Commit();
  }

  void ExpectRefused(const std::string& out, const std::string& message) const {
    EXPECT_THAT(OpenExportOutputs(out), StatusIs(absl::StatusCode::kInvalidArgument, StartsWith(message)));
  }

  std::string folder_;
};

void Make(const std::string& path) { std::ofstream(path) << "text"; }

TEST_F(ExportOutputsTest, TheManifestLiesBesideTheArtifact) {
  ASSERT_OK(Write("m.pt"));
  EXPECT_TRUE(fs::exists("m.pt"));
  EXPECT_TRUE(fs::exists("m.manifest.json"));
  ASSERT_OK(Write("m.pt"));
}

TEST_F(ExportOutputsTest, BothLieWhereALinkLeads) {
  fs::create_directory("store");
  Make("store/v1.pt");
  fs::create_symlink("store/v1.pt", "m.pt");
  ASSERT_OK(Write("m.pt"));
  EXPECT_TRUE(fs::is_symlink("m.pt"));
  EXPECT_TRUE(fs::exists("store/v1.manifest.json"));
  EXPECT_FALSE(fs::exists("m.manifest.json"));
  fs::create_symlink("store/v1.manifest.json", "m.manifest.json");
  ASSERT_OK(Write("m.pt"));
}

TEST_F(ExportOutputsTest, AnotherManifestBesideALinkIsRefused) {
  Make("v1.pt");
  fs::create_symlink("v1.pt", "m.pt");
  Make("m.manifest.json");
  ExpectRefused("m.pt", "m.manifest.json: stands beside the link m.pt, whose manifest will be " + folder_ +
                            "/v1.manifest.json; remove it");
}

TEST_F(ExportOutputsTest, TheDataFileLiesBesideTheArtifactItself) {
  fs::create_directory("store");
  Make("store/v1.onnx");
  fs::create_symlink("store/v1.onnx", "m.onnx");
  ASSERT_OK_AND_ASSIGN(ExportOutputs outputs, OpenExportOutputs("m.onnx"));
  ASSERT_OK(outputs.OpenData());
  EXPECT_OK(outputs.data->Write("weights"));
  EXPECT_FALSE(fs::exists("store/v1.onnx.data"));
  ASSERT_OK(outputs.Commit());
  EXPECT_EQ(fs::file_size("store/v1.onnx.data"), 7);
  EXPECT_FALSE(fs::exists("m.onnx.data"));
}

TEST_F(ExportOutputsTest, ALinkInThePlaceOfTheDataFileIsRefused) {
  Make("elsewhere");
  fs::create_symlink("elsewhere", "m.onnx.data");
  ASSERT_OK_AND_ASSIGN(ExportOutputs outputs, OpenExportOutputs("m.onnx"));
  EXPECT_THAT(outputs.OpenData(),
              StatusIs(absl::StatusCode::kInvalidArgument, StartsWith("m.onnx.data: is a link, but a data file")));
}

TEST_F(ExportOutputsTest, ALinkInThePlaceOfTheManifestIsRefused) {
  Make("elsewhere.json");
  fs::create_symlink("elsewhere.json", "m.manifest.json");
  ExpectRefused("m.pt", "m.manifest.json: is a link");
  fs::remove("elsewhere.json");
  ExpectRefused("m.pt", "m.manifest.json: is a link");
}

TEST_F(ExportOutputsTest, AManifestIsOfOneArtifact) {
  Make("m");
  ExpectRefused("m.pt", "m.pt: its manifest m.manifest.json would stand beside m too");
  fs::remove("m");
  Make("m.pt");
  ExpectRefused("m", "m: its manifest m.manifest.json would stand beside m.pt too");
  ExpectRefused("m.manifest.json", "m.manifest.json: is the name of a manifest");
  ExpectRefused("m.sig", "m.sig: is the name of an artifact's signature");
  ExpectRefused("m.onnx.data", "m.onnx.data: is the name of the weights beside an ONNX file");
  ASSERT_OK(Write("m.pt"));
}

TEST_F(ExportOutputsTest, InputsAreNotReplaced) {
  Make("in.pth");
  const InputRecord record;
  RecordInput("./in.pth");
  ExpectRefused("in.pth", "in.pth: is the input ./in.pth itself");
  fs::rename("in.pth", "n.manifest.json");
  ExpectRefused("n.pt", "n.manifest.json: is the input");
  EXPECT_FALSE(fs::exists("n.pt"));
}

TEST_F(ExportOutputsTest, FoldersAndDevicesAreRefused) {
  fs::create_directory("m.manifest.json");
  ExpectRefused("m.pt", "m.manifest.json: is a folder");
  ExpectRefused("/dev/null", "/dev/null: is not a regular file");
}

}  // namespace
}  // namespace modelport
