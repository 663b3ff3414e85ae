// Small artifacts, manifests and references that state or describe very much. The tools that take files of unknown
// origin refuse them within twice the files' size plus 256 MB of private memory, in linear time.
#include <filesystem>
#include <fstream>
#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/checkpoint/testing/checkpoint_writer.h"
#include "common/checkpoint/testing/zip_writer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "registry/toy_plugin.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr size_t kMegabyte = 1'000'000;

std::string Repeat(absl::string_view text, size_t count) {
  std::string repeated;
  repeated.reserve(text.size() * count);
  for (size_t i = 0; i < count; ++i) repeated.append(text.data(), text.size());
  return repeated;
}

// A folder with the toy plugin, which has a variant of 880 MB, and an artifact of the small variant with its manifest.
class ArtifactBombsTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(folder_ + "/toy");
    for (const YamlFile& file : ReadToyPlugin().files) {
      Write(absl::StrCat("toy/", FileName(file)),
            absl::StrReplaceAll(file.text,
                                {{"Toy(dim=16, depth=4, bias=0, hidden=16)", "Toy(dim=8, depth=2, hidden=20000000)"}}));
    }
    const ToolResult result = RunTool(
        "export", {"--model=toy_small", "--weights=seeded", "--plugin_path=toy", "--noverify", "--out=m.pt"}, folder_);
    ASSERT_EQ(result.exit_status, 0) << result.err;
    manifest_ = ReadFile(folder_ + "/m.manifest.json");
  }

  void Write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << bytes;
  }

  // Runs the tool within the limits for the artifact, its manifest and the files `more`.
  ToolResult Run(const std::string& tool, std::vector<std::string> arguments,
                 const std::vector<std::string>& more = {}) {
    size_t size = fs::file_size(folder_ + "/m.pt") + fs::file_size(folder_ + "/m.manifest.json");
    for (const std::string& file : more) size += fs::file_size(folder_ + "/" + file);
    if (tool != "lint") arguments.push_back("--plugin_path=toy");
    ToolResult result = RunTool(tool, arguments, folder_, [&] { LimitMemoryAndTime(size); });
    EXPECT_THAT(result.exit_status, AnyOf(0, 1)) << tool << ": " << result.err;
    EXPECT_LT(result.err.size(), 10'000) << tool;
    EXPECT_THAT(result.err, Not(HasSubstr("out of memory"))) << tool;
    return result;
  }

  // Runs every tool that takes an artifact without running its code.
  void ExpectWithinBars() {
    const ToolResult verified = Run("verify", {"m.pt"});
    EXPECT_EQ(verified.exit_status, 1);
    EXPECT_THAT(verified.err, HasSubstr(": m.")) << "the message names the file";
    Run("inspect", {"--artifact=m.pt"});
    Run("diff", {"m.pt", "m.pt"});
  }

  // The manifest with `value` in the place of the empty list `field`.
  std::string ManifestWith(const std::string& field, const std::string& value) const {
    const std::string empty = absl::StrCat("\"", field, "\": []");
    EXPECT_THAT(manifest_, HasSubstr(empty));
    return absl::StrReplaceAll(manifest_, {{empty, absl::StrCat("\"", field, "\": ", value)}});
  }

  const std::string folder_ = EmptyFolder("artifact");
  std::string manifest_;
};

TEST_F(ArtifactBombsTest, AManifestThatNamesALargeModel) {
  Write("m.pt", ZipArchive({{"archive/constants.pkl", ""}, {"archive/data/0", "small"}}));
  Write("m.manifest.json", absl::StrReplaceAll(manifest_, {{"\"toy_small\"", "\"toy_large\""}}));
  ExpectWithinBars();
  EXPECT_THAT(Run("verify", {"m.pt"}).err, StartsWith("DATA_LOSS: m.pt: data/"));
}

// The largest manifest that is read.
TEST_F(ArtifactBombsTest, ManifestsOfManyOrDeepValues) {
  const size_t room = (size_t{1} << 20) - manifest_.size() - 100;
  for (const std::string& value : {absl::StrCat("[", Repeat("{},", room / 3), "{}]"),
                                   absl::StrCat(Repeat("[", room / 2), Repeat("]", room / 2))}) {
    for (const char* field : {"licence_claims", "knobs"}) {
      Write("m.manifest.json", ManifestWith(field, value));
      ExpectWithinBars();
    }
  }
}

TEST_F(ArtifactBombsTest, RecordsThatInflate) {
  const std::string zeros(300 * kMegabyte, '\0');
  Write("m.pt", ZipArchive({{"archive/data.pkl", zeros}, {"archive/constants.pkl", ""}, {"archive/data/0", ""}},
                           {.deflate = true}));
  ExpectWithinBars();
  EXPECT_THAT(Run("lint", {"m.pt"}).err, StartsWith("RESOURCE_EXHAUSTED: m.pt: data.pkl: "));
}

TEST_F(ArtifactBombsTest, ManyRecords) {
  std::vector<std::pair<std::string, std::string>> records = {{"archive/constants.pkl", ""}};
  for (int i = 0; i < 300'000; ++i) records.emplace_back(absl::StrCat("archive/data/", i), "");
  Write("m.pt", ZipArchive(records));
  ExpectWithinBars();
  EXPECT_EQ(Run("lint", {"m.pt"}).exit_status, 1);
}

TEST_F(ArtifactBombsTest, ReferencesWithMuchMetadata) {
  const std::string lists = absl::StrCat("[", Repeat("[],", 12 * kMegabyte), "[]]"),
                    deep = Repeat("[", kMegabyte) + Repeat("]", kMegabyte);
  for (const std::string& metadata : {absl::StrCat(R"("call":"{\"arguments\":{\"a\":)", lists, R"(}}")"),
                                      absl::StrCat(R"("call":"{}","settings":"{\"a\":{\"b\":)", lists, R"(}}")"),
                                      absl::StrCat(R"("call":"{}","settings":"{\"a\":{\"b\":)", deep, R"(}}")"),
                                      absl::StrCat(R"("call":"{}","slices":")", deep, "\"")}) {
    Write("r.safetensors",
          SafetensorsFile(absl::StrCat(R"({"__metadata__":{"model":"toy_small",)", metadata,
                                       R"(},"output":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}})"),
                          ""));
    for (const ToolResult& result :
         {Run("verify", {"m.pt", "--reference=r.safetensors"}, {"r.safetensors"}),
          Run("parity", {"--model=toy_small", "--weights=seeded", "--reference=r.safetensors"}, {"r.safetensors"})}) {
      EXPECT_THAT(result.err, StartsWith("INVALID_ARGUMENT: r.safetensors: the metadata `"));
    }
  }
}

}  // namespace
}  // namespace modelport
