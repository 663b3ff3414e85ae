// A checkpoint's sha256 tells whether it is the published file, and whether it is another model's.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/checkpoint/testing/checkpoint_writer.h"
#include "common/digest/sha256.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"
#include "tools/image/testing/sample_images.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A file with the example's tensors and bytes of its own: its header ends with so many spaces.
std::string FileWithSpaces(size_t spaces) {
  const std::string good = ReadFile(DataPath("tests/checkpoints/" + DepthModel() + ".safetensors"));
  uint64_t size = 0;
  std::memcpy(&size, good.data(), sizeof(size));
  const std::string path = absl::StrCat(testing::TempDir(), "/", spaces, "_spaces.safetensors");
  std::ofstream(path, std::ios::binary) << SafetensorsFile(good.substr(sizeof(size), size) + std::string(spaces, ' '),
                                                           good.substr(sizeof(size) + size));
  return path;
}
std::string RelativeFile() { return FileWithSpaces(0); }
std::string MetricFile() { return FileWithSpaces(8); }
std::string OtherFile() { return FileWithSpaces(16); }

std::string Digest(const std::string& path, size_t digits = 64) {
  return absl::StrCat("    digest: {sha256: ", Sha256Of(ReadFile(path)).substr(0, digits),
                      ", url: \"https://example.org/sums\"}\n");
}

// A plugin of a relative model, published as RelativeFile(), a metric one that has the same keys, published as
// MetricFile(), one of which only the first digits of this digest are stated, and one whose digest nobody states.
class PublishedFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(folder_ + "/plugin");
    std::ofstream(folder_ + "/plugin/plugin.yaml")
        << "family: twins\nsummary: s\nextends: " + ExampleFamily("depth") + "\nvariants:\n"
        << "  relative:\n    summary: s\n    title: Relative Twin\n    file: relative.pth\n    hub: org/relative\n"
        << Digest(RelativeFile()) << "    module: " << ExampleModule("depth") << "\n"
        << "  metric:\n    summary: s\n    file: metric.pth\n    hub: org/metric\n"
        << Digest(MetricFile()) << "    module: " << ExampleModule("depth in metres") << "\n"
        << "  brief:\n    summary: s\n    file: brief.pth\n"
        << Digest(MetricFile(), 8) << "    module: " << ExampleModule("depth") << "\n"
        << "  larger:\n    summary: s\n    file: larger.pth\n    module: "
        << absl::StrReplaceAll(ExampleModule("depth"), {{"depth=4", "depth=5"}}) << "\n"
        << "  unstated:\n    summary: s\n    module: " << ExampleModule("depth") << "\n";
  }

  ToolResult Run(const std::string& tool, std::vector<std::string> arguments) const {
    arguments.push_back("--plugin_path=plugin");
    return RunWarmTool(tool, arguments, folder_);
  }

  ToolResult Export(const std::string& model, const std::string& checkpoint) const {
    return Run("export", {"--model=" + model, "--checkpoint=" + checkpoint, "--out=m.pt"});
  }

  // What the manifest says of the one checkpoint; "" for seeded weights.
  std::string Published() const {
    const auto manifest = nlohmann::json::parse(ReadFile(folder_ + "/m.manifest.json"));
    const nlohmann::json& checkpoints = manifest["weights"]["checkpoints"];
    return checkpoints.empty() ? "" : checkpoints[0]["published"];
  }

  void ExpectVerified() const {
    const ToolResult alone = Run("verify", {"m.pt"});
    EXPECT_EQ(alone.exit_status, 0) << alone.err;
  }

  const std::string folder_ = EmptyFolder("published");
};

TEST_F(PublishedFileTest, ThePublishedFileIsCalledThat) {
  const ToolResult result = Export("relative", RelativeFile());
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out,
              HasSubstr(absl::StrCat("sha256:", Sha256Of(ReadFile(RelativeFile())), " (the published file)\n")));
  EXPECT_EQ(Published(), "yes");
  ExpectVerified();
  const ToolResult verified = Run("verify", {"--artifact=m.pt", "--checkpoint=" + RelativeFile()});
  EXPECT_EQ(verified.exit_status, 0) << verified.err;
}

TEST_F(PublishedFileTest, AnyOtherFileIsNot) {
  const ToolResult result = Export("relative", OtherFile());
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(" (not the published file)\n"));
  EXPECT_EQ(Published(), "no");
  ExpectVerified();
}

// A fine-tune may have another largest depth, which no key and no shape tells.
TEST_F(PublishedFileTest, OfAnotherFileTheArgumentsThatItDoesNotTellAreSaid) {
  const ToolResult other = Export("metric", OtherFile());
  ASSERT_EQ(other.exit_status, 0) << other.err;
  EXPECT_THAT(other.out, testing::ContainsRegex("\nassumed +[^\n]*max_depth=20.0"));
  EXPECT_THAT(other.out, HasSubstr("the file does not tell"));
  const auto manifest = nlohmann::json::parse(ReadFile(folder_ + "/m.manifest.json"));
  std::string origins;
  for (const nlohmann::json& argument : manifest["weights"]["arguments"]) {
    absl::StrAppend(&origins, argument["name"].get<std::string>(), " ", argument["origin"].get<std::string>(), "\n");
  }
  EXPECT_THAT(origins, testing::AllOf(HasSubstr("dim read\n"), HasSubstr("max_depth assumed\n")));
  const ToolResult verified = Run("verify", {"--artifact=m.pt", "--checkpoint=" + OtherFile()});
  EXPECT_EQ(verified.exit_status, 0) << verified.err;
  EXPECT_THAT(Export("metric", MetricFile()).out, Not(HasSubstr("assumed")));
}

TEST_F(PublishedFileTest, PredictSaysItToo) {
  std::ofstream(folder_ + "/photo.png", std::ios::binary) << MakePng({.width = 28, .height = 28});
  const auto predict = [&](const std::string& checkpoint, const std::string& model = "relative") {
    return Run("predict",
               {"--model=" + model, "--checkpoint=" + checkpoint, "--input=photo.png", "--size=28", "--out=depth.exr"});
  };
  const ToolResult wrong = predict(RelativeFile(), "metric");
  EXPECT_EQ(wrong.exit_status, 1);
  EXPECT_THAT(wrong.err, HasSubstr("is the published file of relative, not of metric"));
  EXPECT_THAT(FileNames(folder_), ElementsAre("photo.png", "plugin"));
  const ToolResult published = predict(RelativeFile());
  EXPECT_EQ(published.exit_status, 0) << published.err;
  EXPECT_THAT(published.out, HasSubstr("(the published file)"));
  const ToolResult other = predict(OtherFile());
  EXPECT_EQ(other.exit_status, 0) << other.err;
  EXPECT_THAT(other.out, HasSubstr("(not the published file)"));
}

TEST_F(PublishedFileTest, TheFirstDigitsOfADigestAreCompared) {
  const ToolResult result = Export("brief", MetricFile());
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(" (the published file, by the first 8 digits of its sha256)\n"));
  EXPECT_EQ(Published(), "yes, by the first 8 digits of its sha256");
  ExpectVerified();
  EXPECT_THAT(Export("brief", RelativeFile()).err, HasSubstr("is the published file of relative, not of brief"));
  ASSERT_EQ(Export("brief", OtherFile()).exit_status, 0);
  EXPECT_EQ(Published(), "no");
}

TEST_F(PublishedFileTest, WithoutAStatedDigestNothingIsSaid) {
  const ToolResult result = Export("unstated", RelativeFile());
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, Not(HasSubstr("published file")));
  EXPECT_EQ(Published(), "");
  ASSERT_EQ(Run("export", {"--model=relative", "--weights=seeded", "--out=m.pt"}).exit_status, 0);
  EXPECT_EQ(Published(), "");
}

TEST_F(PublishedFileTest, AnotherModelsFileIsAnError) {
  const ToolResult result = Export("metric", RelativeFile());
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.err, absl::StrCat("FAILED_PRECONDITION: ", RelativeFile(),
                                     ": is the published file of relative, not of metric\n  sha256:",
                                     Sha256Of(ReadFile(RelativeFile())),
                                     ", which https://example.org/sums states\n  pass --model=relative, or get "
                                     "https://huggingface.co/org/metric/resolve/main/metric.pth\n"));
  EXPECT_THAT(FileNames(folder_), ElementsAre("plugin"));
}

// Nothing but the name tells such a file from one of the model.
TEST_F(PublishedFileTest, TheNameOfAnotherModelsFileIsAnError) {
  const auto export_as = [&](const std::string& from, const std::string& name) {
    std::filesystem::copy_file(from, folder_ + "/" + name, std::filesystem::copy_options::overwrite_existing);
    return Export("relative", name);
  };
  const ToolResult refused = export_as(MetricFile(), "brief.pth");
  EXPECT_EQ(refused.exit_status, 1);
  // The digest of MetricFile() is that of another model's file, which says more than the name.
  EXPECT_THAT(refused.err, HasSubstr("is the published file of metric"));
  EXPECT_EQ(export_as(OtherFile(), "brief.pth").err,
            "FAILED_PRECONDITION: brief.pth: has the name of the published file of brief, whose keys and shapes are "
            "those of relative\n  pass --model=brief; if it holds weights of relative, give it another name\n");
  EXPECT_EQ(export_as(RelativeFile(), "brief.pth").exit_status, 0);
  EXPECT_EQ(export_as(OtherFile(), "larger.pth").exit_status, 0);
  EXPECT_EQ(export_as(OtherFile(), "relative.pth").exit_status, 0);
}

// Four models have its keys and shapes.
TEST_F(PublishedFileTest, AFileWithoutAModelIsThatOfItsSha256OrElseOfItsName) {
  const auto recognise = [&](const std::string& from, const std::string& name) {
    std::filesystem::copy_file(from, folder_ + "/" + name, std::filesystem::copy_options::overwrite_existing);
    return Run("export", {"--checkpoint=" + name, "--out=m.pt"}).err;
  };
  const std::string models = "; 4 models have its keys and shapes: ";
  EXPECT_THAT(recognise(RelativeFile(), "c.pth"),
              StartsWith("recognised relative, whose published file has this sha256" + models));
  EXPECT_THAT(recognise(RelativeFile(), "metric.pth"),
              StartsWith("recognised relative, whose published file has this sha256"));
  EXPECT_EQ(recognise(OtherFile(), "metric.pth"),
            "recognised metric, whose published file has this name" + models +
                "relative, metric, brief, unstated\n--model=NAME takes another\n");
  EXPECT_THAT(recognise(OtherFile(), "c.pth"),
              StartsWith("FAILED_PRECONDITION: c.pth: fits 4 models\n  --model=NAME chooses"));
  const ToolResult inspected = Run("inspect", {"--checkpoint=metric.pth"});
  EXPECT_THAT(inspected.out, HasSubstr("\n  by its name: metric, which export takes unless the sha256 is that of "));
}

TEST_F(PublishedFileTest, APackageSaysIt) {
  const ToolResult result =
      Run("package", {"--model=relative", "--checkpoint=" + RelativeFile(), "--nuke=14", "--out=p"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(ReadFile(folder_ + "/p/README.md"), HasSubstr(", the published file\n"));
  EXPECT_THAT(ReadFile(folder_ + "/p/README.md"), StartsWith("# Relative Twin for Nuke\n"));
  EXPECT_THAT(ReadFile(folder_ + "/p/relative.gizmo"), HasSubstr("the published file"));
}

}  // namespace
}  // namespace modelport
