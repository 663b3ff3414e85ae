// Runs the tools on every file of tests/checkpoints/expected.json: good files give proven artifacts, bad ones give one
// clear error line and no output file.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/checkpoint/testing/table_files.h"
#include "common/digest/sha256.h"
#include "common/torchscript/archive/testing/archive_records.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

using Json = nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::vector<std::string> FileNamesOfTable() {
  std::vector<std::string> names;
  for (const auto& [name, file] : CheckpointTable().items()) names.push_back(name);
  return names;
}

std::string RegistersModel() { return ExampleModel("small files with registers"); }

// The flag for the plugin of the table's models.
std::string Plugins() { return ExamplePlugins({"small files"}); }

// What export made of a file, and where.
struct Exported {
  ToolResult result;
  std::string folder;
};

// Exports a file of the table with its model. Each is exported once, for all tests that ask.
const Exported& ExportOf(const std::string& name) {
  static auto* const made = new std::map<std::string, Exported>();
  const auto [found, is_new] = made->try_emplace(name);
  if (is_new) {
    const std::string model = CheckpointTable().at(name).at("model"), folder = EmptyFolder("export_" + name);
    const ToolResult result =
        RunWarmTool("export", {"--model=" + model, "--checkpoint=" + TableFile(name), "--out=m.pt", Plugins()}, folder);
    found->second = {result, folder};
  }
  return found->second;
}

std::string Digest(const std::string& path) { return Sha256Of(ReadFile(path)); }

// The files that hold the seeded weights of one model.
const std::vector<std::string>& SameValues() {
  static const auto* const names = new std::vector<std::string>{RegistersModel() + ".pth",
                                                                RegistersModel() + ".safetensors",
                                                                "plain_dict.pth",
                                                                "parameters.pth",
                                                                "nested_model.pth",
                                                                "dataparallel_state_dict.pth",
                                                                "bare_dataparallel.pth",
                                                                "teacher_backbone.pth",
                                                                "teacher_student_module_backbone.pth",
                                                                "teacher_chunked_blocks.pth",
                                                                "legacy.pth",
                                                                "legacy_nested_model.pth",
                                                                "pickle_protocol3.pth",
                                                                "pickle_protocol4.pth",
                                                                "pickle_protocol5.pth",
                                                                "flat_storage.pth",
                                                                "legacy_flat_storage.pth",
                                                                "nested_with_namespace.pth",
                                                                "foreign_global.pth"};
  return *names;
}

// Those of them that are verified, one of each way to find the weights in a file: verify reads it as export does.
const std::vector<std::string> kVerified = {"dataparallel_state_dict.pth", "teacher_student_module_backbone.pth",
                                            "teacher_chunked_blocks.pth",  "legacy.pth",
                                            "pickle_protocol5.pth",        "legacy_flat_storage.pth"};

bool IsIn(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class CheckpointTest : public testing::TestWithParam<std::string> {
 protected:
  const Json& file() const { return CheckpointTable().at(GetParam()); }
  std::string model() const { return file().at("model"); }
  std::string path() const { return TableFile(GetParam()); }

  // Whether the file is one of many that fit and have all keys of the model in their root.
  bool IsInspectedWithItsModelOnly() const {
    return file().at("export") == "ok" && file().at("path") == "" && file().at("prefix") == "" &&
           !file().contains("missing") && GetParam() != model() + ".pth";
  }

  // Whether the artifact's records are compared with those of another file's artifact, which is verified.
  bool IsVerifiedByAnother() const { return IsIn(SameValues(), GetParam()) && !IsIn(kVerified, GetParam()); }

  std::vector<std::string> Lines(const std::string& text) { return absl::StrSplit(text, '\n', absl::SkipEmpty()); }

  // One line that begins with CODE: path:, and indented details.
  void ExpectRefusal(const ToolResult& result) {
    EXPECT_EQ(result.exit_status, 1);
    const std::vector<std::string> lines = Lines(result.err);
    ASSERT_FALSE(lines.empty());
    EXPECT_THAT(lines[0], testing::MatchesRegex("[A-Z_]+: .*"));
    EXPECT_THAT(lines[0], HasSubstr(absl::StrCat(": ", path(), ": ")));
    for (size_t i = 1; i < lines.size(); ++i) EXPECT_THAT(lines[i], StartsWith("  "));
  }
};

// A model is recognised by the keys in their dictionary, which a run for a known model does not do.
TEST_P(CheckpointTest, IsInspected) {
  if (IsInspectedWithItsModelOnly()) GTEST_SKIP() << "the keys are those of another file";
  const ToolResult result = RunWarmTool("inspect", {"--checkpoint=" + path()}, EmptyFolder("inspect"));
  if (file().at("read") == "ok") {
    EXPECT_EQ(result.exit_status, 0) << result.err;
    EXPECT_THAT(result.err, IsEmpty());
    EXPECT_THAT(result.out, StartsWith(path()));
    return;
  }
  ExpectRefusal(result);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, AllOf(StartsWith(file().at("code").get<std::string>()),
                                HasSubstr(file().at("cause").get<std::string>())));
}

TEST_P(CheckpointTest, IsInspectedForItsModel) {
  const ToolResult result =
      RunWarmTool("inspect", {"--checkpoint=" + path(), "--model=" + model(), Plugins()}, EmptyFolder("inspect"));
  // inspect reads headers only, so it finds neither a flipped byte nor a NaN in the values.
  const bool fits =
      file().at("export") == "ok" || GetParam() == "flipped_payload.pth" || GetParam() == "nan_weight.pth";
  if (!fits) return ExpectRefusal(result);
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_THAT(result.out, AllOf(StartsWith(path()), HasSubstr("fits " + model())));
}

TEST_P(CheckpointTest, IsExportedAndVerifiedOrRefused) {
  const auto& [result, folder] = ExportOf(GetParam());
  if (file().at("export") == "error") {
    ExpectRefusal(result);
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_THAT(FileNames(folder), IsEmpty());
    return;
  }
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_THAT(result.out, HasSubstr("bitwise equal"));
  EXPECT_THAT(FileNames(folder), ElementsAre("m.manifest.json", "m.pt"));
  EXPECT_THAT(ReadFile(folder + "/m.manifest.json"), HasSubstr("sha256:" + Digest(path())));

  if (IsVerifiedByAnother()) return;
  const ToolResult verified = RunWarmTool("verify", {"--artifact=m.pt", "--checkpoint=" + path(), Plugins()}, folder);
  EXPECT_EQ(verified.exit_status, 0) << verified.err;
  EXPECT_THAT(verified.out, AllOf(HasSubstr("sha256 as in the manifest"), HasSubstr("tensors bitwise equal")));
}

INSTANTIATE_TEST_SUITE_P(Files, CheckpointTest, testing::ValuesIn(FileNamesOfTable()),
                         [](const auto& info) { return absl::StrJoin(absl::StrSplit(info.param, '.'), "_"); });

class SameValuesTest : public testing::Test {
 protected:
  // Exports and returns the artifact's path.
  std::string Export(const std::vector<std::string>& arguments) {
    const std::string folder = EmptyFolder("same");
    std::vector<std::string> all = {"--model=" + RegistersModel(), "--out=m.pt", Plugins()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    // In a process of its own, whose addresses are not those of the exports with which this one is compared.
    const ToolResult result = RunTool("export", all, folder);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    return folder + "/m.pt";
  }

  std::string Artifact(const std::vector<std::string>& arguments) { return ReadFile(Export(arguments)); }

  // The records of an artifact but for the manifest, which names the source.
  Records RecordsOfModule(const std::string& artifact) {
    Records records = ReadRecords(artifact);
    const size_t before = records.size();
    records.erase(std::remove_if(records.begin(), records.end(),
                                 [](const auto& record) { return record.first == "extra/modelport.manifest.json"; }),
                  records.end());
    EXPECT_EQ(records.size(), before - 1);
    return records;
  }
};

TEST_F(SameValuesTest, GiveTheSameRecordsFromEveryFormat) {
  const Records records = RecordsOfModule(Export({"--weights=seeded", "--noverify"}));
  ASSERT_FALSE(records.empty());
  for (const std::string& name : SameValues()) {
    const auto& [result, folder] = ExportOf(name);
    ASSERT_EQ(result.exit_status, 0) << result.err;
    EXPECT_TRUE(RecordsOfModule(folder + "/m.pt") == records) << name;
  }
}

TEST_F(SameValuesTest, MayBeNonfiniteOnlyIfAllowed) {
  EXPECT_FALSE(Artifact({"--allow_nonfinite", "--checkpoint=" + TableFile("nan_weight.pth")}).empty());
}

TEST_F(SameValuesTest, ConvertToOtherDtypes) {
  const size_t size = Artifact({"--weights=seeded"}).size();
  for (const char* dtype : {"float16", "bfloat16"}) {
    const std::string converted = Artifact({"--weights=seeded", absl::StrCat("--dtype=", dtype)});
    EXPECT_THAT(ReadFile(EmptyFolder("none") + "/../same/m.manifest.json"),
                HasSubstr(absl::StrCat("\"dtype\": \"", dtype, "\"")));
    EXPECT_LT(converted.size(), size);
  }
}

}  // namespace
}  // namespace modelport
