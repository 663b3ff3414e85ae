#include "tools/command/command.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::ElementsAre;

class CommandTest : public testing::Test {
 protected:
  CommandTest() {
    unsetenv("MODELPORT_WORKING_DIRECTORY");
    setenv("BUILD_WORKING_DIRECTORY", "/home/user", 1);
  }
};

TEST_F(CommandTest, OneOfFlagsTakesNothingElse) {
  const Command::Run run = TakesFlags([] { return absl::OkStatus(); });
  EXPECT_OK(run({}));
  EXPECT_THAT(run({"dav2_vits"}),
              StatusIs(absl::StatusCode::kInvalidArgument, "dav2_vits: is no flag; flags are written --name=value"));
}

TEST_F(CommandTest, OneOfFilesTakesAnyNumber) {
  std::vector<std::string> given;
  const Command::Run run = TakesFiles([&](const std::vector<std::string>& paths) {
    given = paths;
    return absl::OkStatus();
  });
  EXPECT_OK(run({"a.pt", "/b.pt"}));
  EXPECT_THAT(given, ElementsAre("/home/user/a.pt", "/b.pt"));
}

TEST_F(CommandTest, TheShortSummaryIsTheFirstSentence) {
  EXPECT_EQ(ShortSummary({.name = "", .summary = "Reads a.pt. Writes.", .flags = {}, .run = {}}), "Reads a.pt.");
  EXPECT_EQ(ShortSummary({.name = "", .summary = "Reads.", .flags = {}, .run = {}}), "Reads.");
}

TEST_F(CommandTest, HelpSaysWhatItDoesHowToCallItAndItsFlags) {
  FlagGroup flags;
  const Flag<int> notes(flags, "notes", 3, "how many notes");
  EXPECT_EQ(CommandHelp({.name = "play", .summary = "Plays.", .arguments = "FILE", .flags = flags, .run = {}}),
            "Plays.\nUsage: play [FLAG]... FILE\n\n  --notes=...  how many notes (default: 3)\n");
  EXPECT_EQ(CommandHelp({.name = "rest", .summary = "Rests.", .flags = {}, .run = {}}),
            "Rests.\nUsage: rest [FLAG]...\n\n");
}

TEST_F(CommandTest, HelpFitsItsColumns) {
  FlagGroup flags;
  const Flag<int> notes(flags, "notes", 3,
                        "how many notes, of which there must be one; bazel run //tools:list has all");
  EXPECT_EQ(CommandHelp({.name = "play", .summary = "Plays what it is given, in time.", .flags = flags, .run = {}}, 40),
            "Plays what it is given, in time.\nUsage: play [FLAG]...\n\n"
            "  --notes=...  how many notes, of which\n"
            "               there must be one;\n"
            "               bazel run //tools:list\n"
            "               has all (default: 3)\n");
}

}  // namespace
}  // namespace modelport
