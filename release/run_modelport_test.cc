#include "release/run_modelport.h"

#include <iostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/command/tool_call.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::internal::CaptureStderr;
using testing::internal::CaptureStdout;
using testing::internal::GetCapturedStderr;
using testing::internal::GetCapturedStdout;

struct SingFlags {
  FlagGroup group;
  Flag<std::string> what{group, "what", "", absl::StrCat("a song; ", ToolCall("play"), " plays it")};
};

absl::Status Sing(const SingFlags& flags) {
  return absl::NotFoundError(absl::StrCat(*flags.what, ": see ", ToolCall("play", "--what=2")));
}

struct PieceFlags {
  FlagGroup group;
  Flag<int> what{group, "what", 1, "the number of a piece"};
};

absl::Status PlayPiece(const PieceFlags& flags) {
  std::cout << "plays " << *flags.what << "\n";
  return absl::OkStatus();
}

std::vector<Command> SampleCommands() {
  return {{.name = "play", .summary = "Plays. Loudly.", .begin = TakesFlags<PieceFlags>(PlayPiece)},
          {.name = "sing", .summary = "Sings.", .arguments = "FILE", .begin = TakesFlags<SingFlags>(Sing)}};
}

// The exit status, stdout and stderr of `modelport arguments`.
struct Result {
  int status;
  std::string out, err;
};

Result Modelport(std::vector<const char*> arguments, const std::vector<Command>& unlisted = {}) {
  arguments.insert(arguments.begin(), "modelport");
  CaptureStdout();
  CaptureStderr();
  const int status = RunModelport(arguments.size(), arguments.data(), SampleCommands(), unlisted);
  return {status, GetCapturedStdout(), GetCapturedStderr()};
}

constexpr char kList[] =
    "Turns published vision models into TorchScript files, and proves them.\n"
    "Usage: modelport COMMAND [FLAG]...\n\n"
    "  play  Plays.\n"
    "  sing  Sings.\n\n"
    "`modelport help COMMAND` lists its flags, `modelport --version` the release.\n"
    "The exit status is 0 if all is done and proven, else 1, and the first word on\n"
    "stderr is a code that tells a wrong flag, what is refused, a damaged file and\n"
    "others apart: share/doc/modelport/json.md#codes. With --json the status is 2 for\n"
    "a wrong flag, 3 for a damaged file, 4 for what is unavailable, and 1 for all\n"
    "else.\n";

TEST(RunModelportTest, RunsTheCommandWithItsOwnFlags) {
  const Result play = Modelport({"play", "--what=3"});
  EXPECT_EQ(play.status, 0);
  EXPECT_EQ(play.out, "plays 3\n");
  EXPECT_EQ(Modelport({"play"}).out, "plays 1\n");
  const Result sing = Modelport({"sing", "--what=air"});
  EXPECT_EQ(sing.status, 1);
  EXPECT_EQ(sing.err, "NOT_FOUND: air: see modelport play --what=2\n");
}

TEST(RunModelportTest, HelpListsTheCommands) {
  for (const char* const help : {"help", "--help", "-h"}) {
    const Result result = Modelport({help});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.out, kList);
  }
}

TEST(RunModelportTest, HelpOfACommandShowsItsFlags) {
  constexpr char kHelp[] =
      "Sings.\nUsage: modelport sing [FLAG]... FILE\n\n  --what=...  a song; modelport play plays it\n\n"
      "The exit status is 0 if all is done and proven, else 1, and the first word on\n"
      "stderr is a code that tells a wrong flag, what is refused, a damaged file and\n"
      "others apart: share/doc/modelport/json.md#codes.\n";
  EXPECT_EQ(Modelport({"help", "sing"}).out, kHelp);
  EXPECT_EQ(Modelport({"sing", "--help"}).out, kHelp);
}

TEST(RunModelportTest, AnUnlistedCommandRunsAndIsNamedNowhere) {
  const std::vector<Command> unlisted = {{.name = "tune", .summary = "", .begin = TakesFlags<PieceFlags>(PlayPiece)}};
  EXPECT_EQ(Modelport({"tune", "--what=4"}, unlisted).out, "plays 4\n");
  EXPECT_EQ(Modelport({"help"}, unlisted).out, kList);
  EXPECT_THAT(Modelport({"tun"}, unlisted).err, HasSubstr("tun: no such command; known: help, play, sing\n"));
}

TEST(RunModelportTest, TheVersionIsTheRelease) {
  for (const std::vector<const char*>& arguments : {std::vector<const char*>{"--version"}, {"sing", "--version"}}) {
    const Result result = Modelport(arguments);
    EXPECT_EQ(result.status, 0);
    EXPECT_THAT(result.out, testing::MatchesRegex("Modelport [0-9.]+\n"));
  }
}

TEST(RunModelportTest, AnUnknownCommandNamesTheNearest) {
  const Result result = Modelport({"sign"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "INVALID_ARGUMENT: sign: no such command; nearest: sing\n  `modelport help` lists them\n");
  const Result reported = Modelport({"sign", "--what=air", "--json"});
  EXPECT_EQ(reported.status, 2);
  EXPECT_THAT(reported.out, AllOf(HasSubstr("\"ok\": false"), HasSubstr("\"code\": \"INVALID_ARGUMENT\"")));
  EXPECT_THAT(Modelport({"help", "pla\ny"}).err, HasSubstr("pla\\ny: no such command"));
  EXPECT_THAT(Modelport({}).err, testing::StartsWith("INVALID_ARGUMENT: the command is missing\n"));
}

}  // namespace
}  // namespace modelport
