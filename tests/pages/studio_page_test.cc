// The commands of docs/studio.md that lead from a checkpoint to the farm run as they stand there.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"
#include "tools/image/testing/sample_images.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;
using testing::SizeIs;

// The commands of the section "From a file to the farm".
std::vector<std::string> Commands() {
  const std::string page = ReadFile(DataPath("docs/studio.md"));
  const size_t begin = page.find("## From a file to the farm");
  std::vector<std::string> commands;
  for (absl::string_view line : absl::StrSplit(page.substr(begin, page.find("\n## ", begin) - begin), '\n')) {
    if (absl::ConsumePrefix(&line, "    ")) commands.emplace_back(line);
  }
  return commands;
}

// A program in `folder`/bin.
void WriteProgram(const std::string& folder, const std::string& name, const std::string& script) {
  const std::string path = folder + "/bin/" + name;
  std::ofstream(path) << "#!/bin/bash\n" << script << "\n";
  fs::permissions(path, fs::perms::owner_all);
}

TEST(StudioPageTest, TheWayFromAFileToTheFarm) {
  if (!fs::exists("/usr/bin/python3")) GTEST_SKIP() << "the stand-in for Nuke is written in Python";
  const std::string folder = EmptyFolder("farm"), model = DepthModel();
  fs::copy(DataPath("tests/checkpoints/" + model + ".safetensors"), folder + "/checkpoint");
  for (const char* const name : {"bin", "Cattery"}) fs::create_directory(folder + "/" + name);
  std::ofstream(folder + "/plate.png", std::ios::binary) << MakePng({.width = 40, .height = 30});
  WriteProgram(folder, "modelport",
               absl::StrCat("exec ", DataPath("release/modelport"), " \"$@\" --plugin_path=", DataPath("models")));
  for (const std::string version : {"13.2", "14.1", "15.1"}) {
    WriteProgram(folder, "Nuke" + version,
                 absl::StrCat("[ \"$1 $2\" = '--nukex -t' ] || exit 9\nSTUB_NUKE=", version,
                              " PYTHONPATH=", DataPath("tests/nuke/stub"), " exec /usr/bin/python3 -B \"${@:3}\""));
  }

  const std::vector<std::string> commands = Commands();
  ASSERT_THAT(commands, SizeIs(6));
  std::vector<std::string> printed;
  for (const std::string& command : commands) {
    SCOPED_TRACE(command);
    // With a small model of the same kind.
    const std::string small = absl::StrReplaceAll(
        command, {{"depth_anything_v2_vits.pth", "checkpoint"}, {ExampleModel("published depth"), model}});
    const ToolResult result =
        FinishTool(StartProgram("/bin/bash", {"-c", "set -o pipefail; PATH=$PWD/bin:$PATH; " + small}, folder));
    ASSERT_EQ(result.exit_status, 0) << result.out << result.err;
    printed.push_back(result.out);
  }
  EXPECT_THAT(printed[0], HasSubstr("fits " + model));
  EXPECT_THAT(printed[2], HasSubstr("as the knobs make it"));
  EXPECT_THAT(printed[3], ContainsRegex("(reached      code.*){3}"));
  const std::vector<std::string> names = {model + "_nuke13", model + "_nuke14", model + "_nuke15_1"};
  EXPECT_THAT(printed[4], ContainsRegex(absl::StrCat(names[0], ".cat: made(.*\n)*.*", names[0], ".cat: exists(.*\n)*.*",
                                                     names[2], ".cat: made")));
  EXPECT_THAT(FileNames(folder + "/Cattery"), ElementsAre(names[0], names[1], names[2]));
  for (const std::string& name : names) {
    const std::vector<std::string> files = FileNames(absl::StrCat(folder, "/Cattery/", name));
    EXPECT_THAT(files, IsSupersetOf({name + ".cat", name + ".cat.sha256", name + ".gizmo", std::string("menu.py")}));
    EXPECT_THAT(files, Not(Contains(name + ".pt")));
  }
}

}  // namespace
}  // namespace modelport
