#include "release/pages.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct PlayFlags {
  FlagGroup group;
  Flag<std::string> song{group, "song", "air", "a song, such as modelport play --song=x; it's [new]: so"};
  Flag<bool> loud{group, "loud", false, ".loud \\ or not"};
};

std::vector<Command> Commands() {
  const auto play = [](const PlayFlags&) { return absl::OkStatus(); };
  const auto rest = [](const NoFlags&) { return absl::OkStatus(); };
  return {
      {.name = "play", .summary = "Plays: here. Loudly.", .arguments = "FILE", .begin = TakesFlags<PlayFlags>(play)},
      {.name = "rest", .summary = "Rests.", .begin = TakesFlags<NoFlags>(rest)}};
}

TEST(ManPageTest, DescribesEveryCommandAndFlag) {
  const std::string page = ManPage(Commands());
  EXPECT_THAT(page, StartsWith(".TH MODELPORT 1 \"\" \"Modelport "));
  EXPECT_THAT(page, HasSubstr(".SS modelport play [\\fIFLAG\\fR]... FILE\nPlays: here\\&. Loudly\\&.\n"
                              ".TP\n\\fB\\-\\-[no]loud\\fR\n\\&.loud \\e or not (default: false)\n"
                              ".TP\n\\fB\\-\\-song\\fR=\\fIVALUE\\fR\na song, such as modelport play "
                              "\\-\\-song=x; it\\(aqs [new]: so (default: air)\n"
                              ".SS modelport rest [\\fIFLAG\\fR]...\nRests\\&.\n"));
}

TEST(BashCompletionTest, KnowsEveryCommandAndFlag) {
  const std::string script = BashCompletion(Commands());
  EXPECT_THAT(script, HasSubstr("words='help play rest'\n"));
  EXPECT_THAT(script, HasSubstr("      play) words='--loud --noloud --song= --help' ;;\n"
                                "      rest) words='--help' ;;\n"));
}

TEST(ZshCompletionTest, KnowsEveryCommandAndFlag) {
  const std::string script = ZshCompletion(Commands());
  EXPECT_THAT(script, StartsWith("#compdef modelport\n"));
  EXPECT_THAT(script, HasSubstr("    'play:Plays\\: here.'\n    'rest:Rests.'\n"));
  EXPECT_THAT(script, HasSubstr("    play)\n      _arguments \\\n"
                                "        '--loud[.loud \\\\ or not]' '--noloud[not: .loud \\\\ or not]' \\\n"
                                "        '--song=[a song, such as modelport play --song=x; it'\\''s \\[new\\]\\: so]"
                                ":value:_files' \\\n"
                                "        '*:file:_files' ;;\n"));
}

TEST(PageCommandsTest, PrintThePages) {
  const std::vector<Command> pages = PageCommands(Commands());
  ASSERT_EQ(pages.size(), 2);
  testing::internal::CaptureStdout();
  EXPECT_TRUE(pages[0].begin().start({"bash"}).ok());
  EXPECT_TRUE(pages[0].begin().start({"zsh"}).ok());
  EXPECT_TRUE(pages[1].begin().start({}).ok());
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            absl::StrCat(BashCompletion(Commands()), ZshCompletion(Commands()), ManPage(Commands())));
  EXPECT_EQ(pages[0].begin().start({"fish"}).message(), "wants the name of a shell: bash or zsh");
  EXPECT_FALSE(pages[0].begin().start({}).ok());
}

}  // namespace
}  // namespace modelport
