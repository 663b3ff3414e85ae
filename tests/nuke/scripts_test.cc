// The Python files of packages, run with a stand-in for Nuke's module (stub/nuke.py), and packages for several Nukes
// beside each other.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "common/digest/sha256.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/nuke/nuke_script.h"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;
using testing::StartsWith;

constexpr char kPython[] = "/usr/bin/python3";

// Runs a script in a Nuke of this version; `breaks` is part of the names of what cannot be converted.
ToolResult RunInNuke(const std::string& version, const std::vector<std::string>& arguments, const std::string& folder,
                     const std::string& breaks = "", bool is_mac = false, bool has_gpu = true, bool has_model = true) {
  std::vector<std::string> all = {"-B"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const std::string stub = DataPath("tests/nuke/stub");  // The child is in `folder`.
  return FinishTool(StartProgram(kPython, all, folder, [&] {
    setenv("PYTHONPATH", stub.c_str(), 1);
    setenv("STUB_NUKE", version.c_str(), 1);
    setenv("STUB_BREAKS", breaks.c_str(), 1);
    setenv("STUB_MAC", is_mac ? "1" : "", 1);
    setenv("STUB_NO_GPU", has_gpu ? "" : "1", 1);
    setenv("STUB_NO_MODEL", has_model ? "" : "1", 1);
  }));
}

// Packages of the model of depth in a new folder, with these flags.
std::string Make(const std::string& name, const std::vector<std::string>& flags) {
  const std::string folder = EmptyFolder(name);
  std::vector<std::string> arguments = {"--model=" + DepthModel(), "--weights=seeded",
                                        "--plugin_path=" + DataPath("models")};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  const ToolResult result = RunWarmTool("package", arguments, folder);
  EXPECT_EQ(result.exit_status, 0) << result.err;
  return folder;
}

// Users of packages have Nuke's Python; a machine that builds needs none.
class ScriptsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kPython)) GTEST_SKIP() << "no " << kPython;
  }
};

TEST(PackageNameTest, PackagesForSeveralNukesShareNoFileThatNukeFindsByName) {
  const std::string folder = Make("nukes", {"--nuke=13,15.1"});
  const std::string old = DepthModel() + "_nuke13", newer = DepthModel() + "_nuke15_1";
  EXPECT_THAT(FileNames(folder), ElementsAre(old, newer));
  for (const std::string& name : {old, newer}) {
    EXPECT_THAT(FileNames(folder + "/" + name),
                IsSupersetOf({name + ".pt", name + ".gizmo", name + ".png", name + "_CatFileCreator.nk"}));
    EXPECT_THAT(ReadFile(absl::StrCat(folder, "/", name, "/", name, ".gizmo")), HasSubstr(" name " + name + "\n"));
    const ToolResult verified =
        RunWarmTool("verify", {absl::StrCat(name, "/", name, ".pt"), "--plugin_path=" + DataPath("models")}, folder);
    EXPECT_EQ(verified.exit_status, 0) << verified.err;
  }
  EXPECT_THAT(ReadFile(folder + "/" + old + "/cat.json"), HasSubstr("\"minimum_nuke_version_required\": 13.1"));
  EXPECT_THAT(ReadFile(folder + "/" + newer + "/cat.json"), HasSubstr("\"minimum_nuke_version_required\": 15.1"));
}

TEST_F(ScriptsTest, AMenuShowsWhatItsNukeLoads) {
  const std::string folder = Make("menus", {"--nuke=13,15.1"});
  const std::string old = DepthModel() + "_nuke13", newer = DepthModel() + "_nuke15_1";
  const auto menu = [&](const std::string& nuke, const std::string& name) {
    const ToolResult result = RunInNuke(nuke, {"menu.py"}, folder + "/" + name);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    return result.out;
  };
  EXPECT_THAT(menu("13.0", old),
              AllOf(StartsWith("menu Cattery/Depth Estimation/"),
                    EndsWith(absl::StrCat(" (Nuke 13) SEEDED | nuke.createNode(\"", old, "\") | ", old, ".png\n"))));
  EXPECT_EQ(menu("13.2", newer), "");
  EXPECT_EQ(menu("15.0", newer), "");
  EXPECT_THAT(menu("15.1", newer), AllOf(StartsWith("menu Cattery/"), HasSubstr(" (Nuke 15.1) SEEDED | ")));
  EXPECT_THAT(menu("16.0", newer), StartsWith("menu Cattery/"));
  // Within a Cattery the menu of Nuke 14 and newer finds the node itself.
  fs::create_directory(folder + "/Cattery");
  fs::rename(folder + "/" + old, folder + "/Cattery/" + old);
  EXPECT_EQ(menu("14.0", "Cattery/" + old), "");
  EXPECT_THAT(menu("13.2", "Cattery/" + old), StartsWith("menu Cattery/"));
  // One of another name is none.
  fs::rename(folder + "/Cattery", folder + "/cattery");
  EXPECT_THAT(menu("14.0", "cattery/" + old), StartsWith("menu Cattery/"));
}

TEST_F(ScriptsTest, OnlyNuke13LoadsInferenceFirst) {
  const std::string folder = Make("init", {"--nuke=13", "--out=a folder"});
  EXPECT_EQ(RunInNuke("13.2", {"init.py"}, folder + "/a folder").out, "load Inference\n");
  const ToolResult newer = RunInNuke("14.0", {"init.py"}, folder + "/a folder");
  EXPECT_EQ(newer.out, "");
  EXPECT_EQ(newer.exit_status, 0) << newer.err;
}

TEST_F(ScriptsTest, AFolderOfPackagesIsConvertedWithChecksums) {
  const std::string folder = Make("convert", {"--nuke=13,15.1", "--out=all packages"}),
                    place = folder + "/all packages/";
  const std::string old = DepthModel() + "_nuke13", newer = DepthModel() + "_nuke15_1";
  const std::string script = place + old + "/convert.py";
  const std::string cat = absl::StrCat(place, old, "/", old, ".cat"),
                    other = absl::StrCat(place, newer, "/", newer, ".cat");
  // What this Nuke makes of the package for an older one that one would not read, so it makes its own. Its conversion
  // fails, and leaves nothing.
  constexpr absl::string_view kMade = ": made, for Nuke 15.1 and newer\n", kOld = ": made, for Nuke 13.2 and newer\n";
  const std::string left =
      absl::StrCat(cat, ": is for Nuke 13.0, and this Nuke loads another package of the model: convert it there\n");
  const ToolResult first = RunInNuke("15.1", {script, "all packages"}, folder, "_nuke15");
  EXPECT_EQ(first.exit_status, 1);
  EXPECT_EQ(first.out, absl::StrCat(left, other, ": failed: cannot read ", newer, ".pt\n"));
  EXPECT_THAT(FileNames(place + newer), Not(Contains(HasSubstr(".cat"))));
  const ToolResult second = RunInNuke("15.1", {script, "all packages"}, folder);
  EXPECT_EQ(second.exit_status, 0);
  EXPECT_EQ(second.out, absl::StrCat(left, other, kMade));
  EXPECT_EQ(ReadFile(other), "cat of " + newer + ".pt");
  EXPECT_EQ(ReadFile(other + ".sha256"), absl::StrCat(Sha256Of(ReadFile(other)), "  ", newer, ".cat\n"));
  EXPECT_FALSE(fs::exists(cat));
  // The older one makes what is missing and leaves what is there.
  const ToolResult third = RunInNuke("13.2", {script, "all packages"}, folder);
  EXPECT_EQ(third.exit_status, 0);
  EXPECT_EQ(third.out, absl::StrCat(cat, kOld, other, ": exists\n"));
  EXPECT_EQ(ReadFile(place + "SHA256SUMS"), absl::StrCat(Sha256Of(ReadFile(cat)), "  ", old, "/", old, ".cat\n",
                                                         Sha256Of(ReadFile(other)), "  ", newer, "/", newer, ".cat\n"));
  // An older Nuke leaves what it does not load.
  fs::remove(cat);
  fs::remove(other);
  const ToolResult older = RunInNuke("13.2", {script, "all packages"}, folder);
  EXPECT_EQ(older.exit_status, 0) << older.err;
  EXPECT_EQ(older.out, absl::StrCat(cat, kOld, other, ": is for Nuke 15.1 and newer: convert it there\n"));
  EXPECT_FALSE(fs::exists(other));
  // Without an argument it is the folder of the script.
  fs::remove(cat);
  EXPECT_EQ(RunInNuke("13.2", {script}, folder).out, absl::StrCat(cat, kOld));
  // Nuke 13.0 loads it, too, though the number in cat.json is 13.1.
  fs::remove(cat);
  EXPECT_EQ(RunInNuke("13.0", {script}, folder).out, cat + ": made, for Nuke 13.0 and newer\n");
  // A package without a gizmo fails alone.
  fs::remove(absl::StrCat(place, newer, "/", newer, ".gizmo"));
  fs::remove(cat);
  const ToolResult damaged = RunInNuke("15.1", {script, "all packages"}, folder);
  EXPECT_EQ(damaged.exit_status, 1);
  EXPECT_THAT(damaged.out, StartsWith(absl::StrCat(cat, kMade, other, ": failed: ")));
  const ToolResult none = RunInNuke("13.2", {script, "nothing"}, folder);
  EXPECT_EQ(none.exit_status, 1);
  EXPECT_EQ(none.out, "no package in nothing\n");
}

// What docs/studio.md gives as the init.py of a release, on a render node, from a path with spaces.
TEST_F(ScriptsTest, AReleaseAddsThePathsOfItsPackages) {
  const std::string folder = EmptyFolder("release"), release = folder + "/shows and tools/2026-11";
  for (const char* name : {"/Cattery/b node", "/Cattery/a"}) fs::create_directories(release + name);
  std::ofstream(release + "/Cattery/SHA256SUMS") << "A list, which convert.py writes.";
  std::string script;
  bool is_begun = false;
  const std::string page = ReadFile(DataPath("docs/studio.md"));
  for (const absl::string_view line : absl::StrSplit(page, '\n')) {
    is_begun |= line == "    import os";
    if (!is_begun) continue;
    if (!line.empty() && !absl::StartsWith(line, "    ")) break;
    absl::StrAppend(&script, absl::StripPrefix(line, "    "), "\n");
  }
  std::ofstream(release + "/init.py") << script;
  const ToolResult result = RunInNuke("13.2", {release + "/init.py"}, folder);
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(result.out, absl::StrCat("path ", release, "/Cattery/a\npath ", release, "/Cattery/b node\n"));
}

// The button by which a retimer takes all frames of its plate, and the code that runs when a node is made or its knobs
// are changed.
TEST_F(ScriptsTest, TheCodeInANodeRuns) {
  const std::string model = ExampleModel("image between two");
  const std::string folder = EmptyFolder("button");
  const ToolResult made = RunWarmTool(
      "package",
      {"--model=" + model, "--weights=seeded", "--nuke=13", "--out=out", "--plugin_path=" + DataPath("models")},
      folder);
  ASSERT_EQ(made.exit_status, 0) << made.err;
  const NukeScript script = ReadNukeScript(ReadFile(absl::StrCat(folder, "/out/", model, ".gizmo")));
  std::ofstream(folder + "/node.py") << "import nuke\n"
                                     << script.gizmo.user_knobs.at("reset_range").text << "\n"
                                     << script.nodes.at("Inference1").values.at("onCreate").text << "\n"
                                     << script.gizmo.values.at("knobChanged").text << "\n";
  const ToolResult run = RunInNuke("15.1", {"node.py"}, folder);
  EXPECT_EQ(run.exit_status, 0) << run.err;
  std::string expected;
  for (const auto& [knob, expression] :
       {std::pair("input_first", "input.first_frame"), std::pair("input_last", "input.last_frame")}) {
    absl::StrAppend(&expected, "knob ", knob, " | ", expression, "\n");
    EXPECT_EQ(script.gizmo.values.at(knob).text, absl::StrCat("{", expression, "}"));
  }
  EXPECT_EQ(run.out, expected + "value gpu_name | a GPU\nenabled halfPrecision | False\n");
  // The knob for the GPU is off and greyed where it has no effect on a Mac.
  for (const bool is_mac : {false, true}) {
    for (const bool has_gpu : {false, true}) {
      const std::string greyed =
          is_mac && !has_gpu ? "value useGPUIfAvailable | False\nenabled useGPUIfAvailable | False\n" : "";
      EXPECT_EQ(RunInNuke("15.1", {"node.py"}, folder, /*breaks=*/"", is_mac, has_gpu).out,
                expected + "value gpu_name | a GPU\n" + greyed + "enabled halfPrecision | False\n");
    }
  }
  // All are where the Inference node takes no file.
  EXPECT_EQ(RunInNuke("15.1", {"node.py"}, folder, /*breaks=*/"", false, true, /*has_model=*/false).out,
            expected + "value gpu_name | a GPU\nenabled speed | False\nenabled halfPrecision | False\n");
}

TEST(PackageNameTest, ANameOfOnesOwnIsThatOfEveryFileAndOfTheNode) {
  const std::string folder = Make("named", {"--nuke=14", "--name=nearDepth"});
  EXPECT_THAT(FileNames(folder), ElementsAre("nearDepth"));
  const std::string package = folder + "/nearDepth/";
  EXPECT_THAT(FileNames(package), ElementsAre("README.md", "cat.json", "convert.py", "init.py", "menu.py",
                                              "nearDepth.gizmo", "nearDepth.manifest.json", "nearDepth.png",
                                              "nearDepth.pt", "nearDepth@2x.png", "nearDepth_CatFileCreator.nk"));
  EXPECT_THAT(ReadFile(package + "cat.json"), HasSubstr("\"name\": \"nearDepth SEEDED\""));
  EXPECT_THAT(ReadFile(package + "nearDepth_CatFileCreator.nk"),
              AllOf(HasSubstr(" modelId nearDepth\n"), Not(HasSubstr(DepthModel()))));
  const auto manifest = nlohmann::json::parse(ReadFile(package + "nearDepth.manifest.json"));
  EXPECT_EQ(manifest["request"]["name"], "nearDepth");
  EXPECT_EQ(manifest["request"]["model"], DepthModel());
  const ToolResult verified =
      RunWarmTool("verify", {"nearDepth.pt", "--plugin_path=" + DataPath("models")}, folder + "/nearDepth");
  EXPECT_EQ(verified.exit_status, 0) << verified.err;
}

}  // namespace
}  // namespace modelport
