// What the commands print with --json has the fields that docs/json.md lists, and the page lists no others.
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "common/checkpoint/safetensors_writer.h"
#include "common/checkpoint/seeded.h"
#include "common/tensor/dtype.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/manifests/key_list.h"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"
#include "tests/support/toy_plugin.h"
#include "tools/image/testing/sample_images.h"

namespace modelport {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

// The fields that the page lists of each command, and those of every command as those of "Every command".
std::map<std::string, std::set<std::string>> ListedFields() {
  std::map<std::string, std::set<std::string>> fields;
  std::string command;
  for (absl::string_view line : absl::StrSplit(ReadFile(DataPath("docs/json.md")), '\n')) {
    if (absl::ConsumePrefix(&line, "## ")) command = std::string(line);
    if (absl::ConsumePrefix(&line, "| `")) fields[command].emplace(line.substr(0, line.find('`')));
  }
  return fields;
}

// The exit status that the page gives each code.
std::map<std::string, int> ListedStatuses() {
  std::map<std::string, int> statuses;
  const std::string page = ReadFile(DataPath("docs/json.md"));
  const std::string codes = page.substr(page.find("\n## Codes"), page.find("\n## list") - page.find("\n## Codes"));
  for (const absl::string_view line : absl::StrSplit(codes, '\n')) {
    if (!absl::StartsWith(line, "| `")) continue;
    const std::vector<absl::string_view> cells = absl::StrSplit(line, '|');
    int& status = statuses[std::string(absl::StripSuffix(absl::StripPrefix(cells[1], " `"), "` "))];
    EXPECT_TRUE(absl::SimpleAtoi(cells[2], &status)) << line;
  }
  return statuses;
}

// Writes a file of zeros with the keys and shapes of a published one that no model of the catalog fits as it is.
void WriteFileOfOtherArguments(const std::string& path) {
  for (const auto& [name, list] : KeyLists("keys/community")) {
    const KeyList file = ReadKeyList(list);
    if (!absl::StrContains(absl::StrJoin(file.flags, " "), "--set=") || file.parameters > 1'000'000) continue;
    std::vector<SafetensorsTensor> tensors;
    for (const SeededKey& key : file.keys) tensors.push_back({key.key, DType::kFloat32, key.shape});
    const std::string header = SafetensorsHeader(tensors, {});
    std::ofstream(path, std::ios::binary) << header;
    std::filesystem::resize_file(path, header.size() + 4 * file.parameters);
    return;
  }
  ADD_FAILURE() << "no list is of such a file";
}

// Adds the fields of `value`, whose own is `path`, to `found`; what is within one that is listed has no rows.
void Collect(const json& value, const std::string& path, const std::set<std::string>& listed,
             std::set<std::string>& found) {
  if (listed.count(path) > 0 || (!value.is_object() && !value.is_array())) {
    found.insert(path);
  } else if (value.is_array()) {
    for (const json& item : value) Collect(item, path + "[]", listed, found);
  } else {
    for (const auto& [name, item] : value.items()) {
      Collect(item, absl::StrCat(path, path.empty() ? "" : ".", name), listed, found);
    }
  }
}

class ReportTest : public testing::Test {
 protected:
  ReportTest() {
    std::ofstream(folder_ + "/photo.png", std::ios::binary) << MakePng({.width = 40, .height = 30});
    std::ofstream(folder_ + "/text.pt") << "no artifact";
  }

  // Runs a command with --json and notes its fields. `code`: of its error, by which it ends as the page says.
  json Run(const std::string& command, std::vector<std::string> arguments, const std::string& code = "") {
    arguments.insert(arguments.begin(), {command, "--json"});
    const ToolResult result = RunWarmProgram("release/modelport", arguments, folder_);
    EXPECT_EQ(result.exit_status, code.empty() ? 0 : statuses_.at(code)) << result.err;
    EXPECT_THAT(result.err, code.empty() ? testing::A<std::string>() : testing::StartsWith(code + ": "));
    const json report = json::parse(result.out, nullptr, /*allow_exceptions=*/false);
    EXPECT_TRUE(report.is_object()) << result.out;
    EXPECT_EQ(report["schema"], absl::StrCat("modelport.", command, ".1"));
    EXPECT_EQ(report["ok"], code.empty());
    EXPECT_EQ(report.value("/error/code"_json_pointer, ""), code);
    std::set<std::string> listed = listed_["Every command"];
    listed.insert(listed_[command].begin(), listed_[command].end());
    std::set<std::string> found;
    Collect(report, "", listed, found);
    for (const std::string& field : found) {
      EXPECT_TRUE(listed.count(field) > 0) << command << ": " << field << " is not in docs/json.md";
      found_[command].insert(field);
    }
    return report;
  }

  // Expects that runs of the command had all fields that the page lists of it.
  void ExpectAll(const std::string& command) {
    for (const std::string& field : listed_[command]) {
      EXPECT_TRUE(found_[command].count(field) > 0) << command << ": no run has " << field;
    }
  }

  const std::string folder_ = EmptyFolder("report");
  std::map<std::string, std::set<std::string>> listed_ = ListedFields(), found_;
  const std::map<std::string, int> statuses_ = ListedStatuses();
};

std::string Plugins() { return "--plugin_path=" + DataPath("models"); }
std::string Checkpoint() { return DataPath("tests/checkpoints/" + DepthModel() + ".safetensors"); }

TEST_F(ReportTest, List) {
  const json report = Run("list", {});
  EXPECT_GT(report["models"].size(), 50);
  ExpectAll("list");
}

TEST_F(ReportTest, ExportVerifyAndInspect) {
  const std::string model = "--model=" + DepthModel(), checkpoint = "--checkpoint=" + Checkpoint();
  const json exported = Run("export", {model, checkpoint, "--out=m.pt", Plugins()});
  EXPECT_EQ(exported["artifact"], "m.pt");
  EXPECT_EQ(exported["manifest"]["request"]["model"], DepthModel());
  ExpectAll("export");
  const json failed = Run("export", {model, "--checkpoint=none.pth", "--out=x.pt", Plugins()}, "NOT_FOUND");
  EXPECT_THAT(failed["error"]["message"], HasSubstr("none.pth"));

  const json verified = Run("verify", {"m.pt", checkpoint, Plugins()});
  EXPECT_EQ(verified["reached"], "code");
  Run("verify", {"text.pt", Plugins()}, "DATA_LOSS");
  const ToolResult stages = RunWarmProgram(
      "release/modelport", {"parity", model, checkpoint, "--save_stages=stages.safetensors", Plugins()}, folder_);
  ASSERT_EQ(stages.exit_status, 0) << stages.err;
  const json referred = Run("verify", {"m.pt", "--reference=stages.safetensors", Plugins()});
  EXPECT_EQ(referred["reference"][0]["passed"], true);
  ExpectAll("verify");

  EXPECT_EQ(Run("inspect", {"--artifact=m.pt", Plugins()})["manifest"]["request"]["model"], DepthModel());
  const json fits = Run("inspect", {checkpoint, Plugins()});
  EXPECT_THAT(fits["files"][0]["fits"].dump(), HasSubstr(DepthModel()));
  Run("inspect", {checkpoint, model, Plugins()});
  const std::string head = DataPath("tests/checkpoints/parts/" + ExampleModel("features") + "_linear_head.safetensors");
  Run("inspect", {checkpoint + "," + head, Plugins()});
  const json nearest = Run("inspect", {"--checkpoint=" + DataPath("tests/checkpoints/missing_key.pth"),
                                       "--plugin_path=" + DataPath("tests/checkpoints/plugin")});
  EXPECT_TRUE(nearest["files"][0].contains("nearest")) << nearest;
  WriteFileOfOtherArguments(folder_ + "/other.safetensors");
  EXPECT_FALSE(Run("inspect", {"--checkpoint=other.safetensors"})["files"][0]["inferred"][0]["arguments"].empty());
  std::ofstream(folder_ + "/two.safetensors", std::ios::binary) << ToyFile({"one.a", "one.b", "two.a", "two.b"});
  const json refused = Run("inspect", {"--checkpoint=two.safetensors", WriteToyPlugin(folder_ + "/toy")});
  EXPECT_THAT(refused["files"][0]["refused"].dump(), HasSubstr("two parts fit"));
  ExpectAll("inspect");
}

TEST_F(ReportTest, PackageAndLint) {
  const std::string model = DepthModel();
  Run("package",
      {"--model=" + model, "--checkpoint=" + Checkpoint(), "--nuke=14", "--picture=photo.png", "--out=one", Plugins()});
  Run("package", {"--model=" + model + "," + model + "x", "--weights=seeded", "--nuke=14", "--out=two", Plugins()},
      "NOT_FOUND");
  Run("package", {"--model=" + ExampleModel("features") + "," + ExampleModel("features with registers"), "--nuke=14",
                  "--weights=seeded", "--choice=features", "--out=both", Plugins()});
  // A family of one model whose weights are public and one whose weights are not.
  std::filesystem::create_directory(folder_ + "/own");
  const std::string module = "{summary: s, module: \"" + ExampleModule("depth") + "\"";
  std::ofstream(folder_ + "/own/plugin.yaml")
      << "family: own\nsummary: s\nextends: " << ExampleFamily("depth") << "\nvariants:\n  ported: " << module
      << "}\n  hidden: " << module << ", published: false}\n";
  Run("package", {"--family=own", "--weights=seeded", "--nuke=14", "--out=public", "--plugin_path=own"});
  ExpectAll("package");
  const json linted = Run("lint", {"one/" + model + ".pt", "--target=nuke", "--nuke=14"});
  EXPECT_EQ(linted["files"].size(), 1);
  // A plain artifact has several methods, of which a host calls one.
  ASSERT_TRUE(Run("export", {"--model=" + model, "--weights=seeded", "--out=plain.pt", Plugins()})["ok"]);
  const json found = Run("lint", {"plain.pt", "--target=nuke", "--nuke=13"}, "FAILED_PRECONDITION");
  EXPECT_FALSE(found["files"][0]["findings"].empty());
  Run("lint", {"plain.pt", "none.pt", "--target=nuke", "--nuke=13"}, "NOT_FOUND");
  ExpectAll("lint");
}

TEST_F(ReportTest, Convert) {
  const std::string checkpoint = DataPath("tests/checkpoints/" + ExampleModel("features") + ".pth");
  const json report =
      Run("convert", {"--checkpoint=" + checkpoint, "--layout=timm", "--model=" + ExampleModel("features"),
                      "--leave_out=mask_token", "--out=timm.safetensors", Plugins()});
  EXPECT_EQ(report["path"], "timm.safetensors");
  ExpectAll("convert");
}

TEST_F(ReportTest, Predict) {
  const std::string seeded = "--weights=seeded", photo = "--input=photo.png";
  const json depth =
      Run("predict", {"--model=" + DepthModel(), seeded, photo, "--size=56", "--out=depth.png", Plugins()});
  EXPECT_EQ(depth["seeded"], true);
  EXPECT_EQ(depth["images"][0]["output"], "depth.png");
  Run("predict", {"--model=" + ExampleModel("classes"), seeded, photo, Plugins()});
  EXPECT_FALSE(depth.contains("artifact"));
  ASSERT_TRUE(Run("export", {"--model=" + DepthModel(), seeded, "--with_preprocess", "--out=m.pt", Plugins()})["ok"]);
  Run("predict", {"--artifact=m.pt", "--compare=m.pt", photo, "--size=56", Plugins()});
  Run("predict", {"--model=" + ExampleModel("image between two"), seeded, "--input=photo.png,depth.png", "--between=1",
                  "--flow", "--out=half.png", Plugins()});
  Run("predict", {"--model=" + ExampleModel("matte of points"), seeded, photo, "--size=64", "--point=3,4",
                  "--out=meant.png", "--overlay=seen.png", Plugins()});
  Run("predict", {"--model=" + DepthModel(), seeded, photo, "--size=56", "--benchmark", Plugins()});
  Run("predict", {"--model=" + ExampleModel("views"), seeded, photo, "--size=56", "--cameras=c.json", "--points=p.ply",
                  Plugins()});
  std::ofstream(folder_ + "/broken.png") << "no image";
  std::filesystem::create_directory(folder_ + "/all");
  const json broken =
      Run("predict",
          {"--model=" + DepthModel(), seeded, "--input=broken.png,photo.png", "--size=56", "--out=all", Plugins()},
          "INVALID_ARGUMENT");
  EXPECT_TRUE(broken["images"][0].contains("error"));
  EXPECT_FALSE(broken["images"][1].contains("error"));
  ExpectAll("predict");
}

TEST_F(ReportTest, WhatAModelPrintsIsNoPartOfIt) {
  const std::string toy = WriteToyPlugin(folder_ + "/toy"), modules = folder_ + "/toy/modules.yaml";
  const std::string printing =
      absl::StrReplaceAll(ReadFile(modules), {{"        return", "        print(\"printed\")\n        return"}});
  std::ofstream(modules) << printing;
  const ToolResult result = RunWarmProgram(
      "release/modelport", {"export", "--model=toy", "--weights=seeded", "--out=toy.pt", "--json", toy}, folder_);
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_TRUE(json::parse(result.out)["ok"]);
  EXPECT_THAT(result.err, HasSubstr("printed"));
}

// A script that keeps a report has to see that the disk was full.
TEST_F(ReportTest, WhatCannotBePrintedIsAnError) {
  const auto fill_disk = [] { dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO); };
  for (const auto& [flag, status] : {std::pair("--json", 4), std::pair("--json=false", 1), std::pair("--help", 1)}) {
    const ToolResult result =
        FinishTool(StartProgram("release/modelport", {"list", flag, Plugins()}, folder_, fill_disk));
    EXPECT_EQ(result.exit_status, status) << flag;
    EXPECT_THAT(result.err, StartsWith("RESOURCE_EXHAUSTED: stdout: ")) << flag;
  }
}

TEST_F(ReportTest, BytesThatAreNoTextAreReplaced) {
  const std::string name = "caf\xe9.pth";
  const json report = Run("inspect", {"--checkpoint=" + name}, "NOT_FOUND");
  EXPECT_THAT(report["error"]["message"], HasSubstr("caf"));
}

}  // namespace
}  // namespace modelport
