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

struct PlayFlags {
  FlagGroup group;
  Flag<int> notes{group, "notes", 3, "how many notes, of which there must be one; bazel run //tools:list has all"};
};

absl::Status Play(const PlayFlags&) { return absl::OkStatus(); }

TEST_F(CommandTest, OneOfFlagsTakesNothingElse) {
  const CommandRun run = TakesFlags<PlayFlags>(Play)();
  EXPECT_OK(run.start({}));
  EXPECT_THAT(run.start({"dav2_vits"}),
              StatusIs(absl::StatusCode::kInvalidArgument, "dav2_vits: is no flag; flags are written --name=value"));
}

TEST_F(CommandTest, OneOfFilesTakesAnyNumber) {
  std::vector<std::string> given;
  const CommandRun run = TakesFiles<NoFlags>([&](const NoFlags&, const std::vector<std::string>& paths) {
    given = paths;
    return absl::OkStatus();
  })();
  EXPECT_OK(run.start({"a.pt", "/b.pt"}));
  EXPECT_THAT(given, ElementsAre("/home/user/a.pt", "/b.pt"));
}

TEST_F(CommandTest, RunsOfOneCommandDoNotSeeEachOthersFlags) {
  std::vector<int> played;
  const Command::Begin begin = TakesFlags<PlayFlags>([&](const PlayFlags& flags) {
    played.push_back(*flags.notes);
    return absl::OkStatus();
  });
  const CommandRun one = begin(), other = begin();
  ASSERT_OK(ParseFlags(*one.flags, {"--notes=4"}));
  ASSERT_OK(ParseFlags(*other.flags, {"--notes=5"}));
  EXPECT_OK(one.start({}));
  EXPECT_OK(other.start({}));
  EXPECT_OK(begin().start({}));
  EXPECT_THAT(played, ElementsAre(4, 5, 3));
}

TEST_F(CommandTest, TheShortSummaryIsTheFirstSentence) {
  EXPECT_EQ(ShortSummary({.name = "", .summary = "Reads a.pt. Writes.", .begin = {}}), "Reads a.pt.");
  EXPECT_EQ(ShortSummary({.name = "", .summary = "Reads.", .begin = {}}), "Reads.");
}

TEST_F(CommandTest, HelpSaysWhatItDoesHowToCallItAndItsFlags) {
  EXPECT_EQ(CommandHelp(
                {.name = "play", .summary = "Plays.", .arguments = "FILE", .begin = TakesFlags<PlayFlags>(Play)}, 200),
            "Plays.\nUsage: play [FLAG]... FILE\n\n  --notes=...  how many notes, of which there must be one; "
            "bazel run //tools:list has all (default: 3)\n\nThe exit status is 0 if all is done and proven, else 1, "
            "and the first "
            "word on stderr is a code that tells a wrong flag, what is refused, a damaged file and others apart: "
            "docs/json.md#codes.\n");
  const auto rest = [](const NoFlags&) { return absl::OkStatus(); };
  EXPECT_THAT(CommandHelp({.name = "rest", .summary = "Rests.", .begin = TakesFlags<NoFlags>(rest)}),
              testing::StartsWith("Rests.\nUsage: rest [FLAG]...\n\nThe exit status is 0 "));
}

TEST_F(CommandTest, HelpFitsItsColumns) {
  const Command command = {
      .name = "play", .summary = "Plays what it is given, in time.", .begin = TakesFlags<PlayFlags>(Play)};
  EXPECT_EQ(CommandHelp(command, 40),
            "Plays what it is given, in time.\nUsage: play [FLAG]...\n\n"
            "  --notes=...  how many notes, of which\n"
            "               there must be one;\n"
            "               bazel run //tools:list\n"
            "               has all (default: 3)\n\n"
            "The exit status is 0 if all is done and\n"
            "proven, else 1, and the first word on\n"
            "stderr is a code that tells a wrong\n"
            "flag, what is refused, a damaged file\n"
            "and others apart: docs/json.md#codes.\n");
}

}  // namespace
}  // namespace modelport
