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
using testing::HasSubstr;
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

TEST(StudioPageTest, TheWayFromAFileToTheFarm) {
  const std::string folder = EmptyFolder("farm"), model = DepthModel();
  fs::copy(DataPath("tests/checkpoints/" + model + ".safetensors"), folder + "/checkpoint");
  fs::copy(DataPath("tests/signatures/private.pem"), folder + "/studio.pem");
  fs::create_directory(folder + "/Cattery");
  std::ofstream(folder + "/plate.png", std::ios::binary) << MakePng({.width = 40, .height = 30});

  const std::vector<std::string> commands = Commands();
  ASSERT_THAT(commands, SizeIs(6));
  std::vector<std::string> printed;
  for (const std::string& command : commands) {
    SCOPED_TRACE(command);
    // With a small model of the same kind.
    const std::string small = absl::StrReplaceAll(
        command, {{"depth_anything_v2_vits.pth", "checkpoint"}, {ExampleModel("published depth"), model}});
    std::vector<std::string> words = absl::StrSplit(small, ' ');
    if (words[0] == "cp") {
      fs::copy(folder + "/" + words[2], folder + "/" + words[3] + words[2], fs::copy_options::recursive);
      continue;
    }
    ASSERT_EQ(words[0], "modelport");
    words.erase(words.begin());
    if (words[0] != "sign") words.push_back("--plugin_path=" + DataPath("models"));
    const ToolResult result = RunWarmProgram("release/modelport", words, folder);
    ASSERT_EQ(result.exit_status, 0) << result.err;
    printed.push_back(result.out);
  }
  ASSERT_THAT(printed, SizeIs(5));
  EXPECT_THAT(printed[0], HasSubstr("fits " + model));
  // One package for three Nukes.
  for (const char* const nuke : {"13.0", "14.0", "15.1"}) EXPECT_THAT(printed[1], HasSubstr(nuke));
  EXPECT_THAT(printed[2], HasSubstr("as the knobs make it"));
  EXPECT_THAT(printed[3], HasSubstr("reached      code"));
  const std::string deployed = folder + "/Cattery/" + model;
  EXPECT_THAT(FileNames(deployed), Contains(model + ".gizmo"));
  EXPECT_THAT(FileNames(deployed), Contains(model + ".sig"));
  EXPECT_EQ(ReadFile(deployed + "/" + model + ".pt"), ReadFile(folder + "/" + model + "/" + model + ".pt"));
}

}  // namespace
}  // namespace modelport
