// Each command accepts the flags that its --help prints, with the defaults that it states, and no others.
#include <algorithm>
#include <cstddef>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/case_table.h"
#include "tests/support/tool_process.h"
#include "tools/image/testing/sample_images.h"

namespace modelport {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using testing::UnorderedElementsAreArray;

constexpr char kCalls[] = "tests/help/calls.txt";

ToolResult RunCommand(const std::string& command, std::vector<std::string> arguments, const std::string& folder) {
  arguments.insert(arguments.begin(), command);
  return RunWarmProgram("release/modelport", arguments, folder);
}

// A flag as --help prints it.
struct Shown {
  std::string name;
  bool is_switch;
  std::string value;  // Its default; "" for none.
};

std::vector<Shown> ShownFlags(const std::string& command, const std::string& folder) {
  const ToolResult help = RunCommand(command, {"--help"}, folder);
  EXPECT_EQ(help.exit_status, 0) << command;
  std::vector<Shown> flags;
  static const auto* const line = new std::regex(R"(  --(\[no\])?([a-z_]+)(=\.\.\.)? )");
  static const auto* const value = new std::regex(R"(\(default:\s+([^)]*)\))");
  // A flag's lines end where those of the next begin.
  std::vector<std::string> texts;
  for (const absl::string_view text : absl::StrSplit(help.out, '\n')) {
    if (absl::StartsWith(text, "  --")) texts.emplace_back();
    if (!texts.empty()) absl::StrAppend(&texts.back(), text, " ");
  }
  for (const std::string& text : texts) {
    std::smatch match, fallback;
    if (!std::regex_search(text, match, *line)) continue;
    const bool has_value = std::regex_search(text, fallback, *value);
    flags.push_back({match[2], match[1].matched, has_value ? fallback[1].str() : ""});
  }
  return flags;
}

std::vector<std::string> Arguments(const std::string& call) {
  return absl::StrSplit(absl::StrReplaceAll(call, {{"PLUGINS", absl::StrCat("--plugin_path=", DataPath("models"))},
                                                   {"@", DataPath(".") + "/"}}),
                        ' ');
}

// The flags of `call` that are among `known`.
std::set<std::string> FlagsOf(const std::vector<std::string>& call, const std::set<std::string>& known) {
  std::set<std::string> names;
  for (const std::string& argument : call) {
    if (!absl::StartsWith(argument, "--")) continue;
    const std::string name = argument.substr(2, argument.find('=') - 2);
    names.insert(known.count(name) == 0 && absl::StartsWith(name, "no") ? name.substr(2) : name);
  }
  return names;
}

// The defaults of `flags` that `call` does not give, as arguments.
std::vector<std::string> Defaults(const std::vector<Shown>& flags, const std::set<std::string>& given) {
  std::vector<std::string> arguments;
  for (const Shown& flag : flags) {
    if (!flag.value.empty() && given.count(flag.name) == 0) {
      arguments.push_back(absl::StrCat("--", flag.name, "=", flag.value));
    }
  }
  return arguments;
}

void WriteInputs(const std::string& folder) {
  for (const char* name : {"photo.png", "p.0001.png", "p.0003.png"}) {
    std::ofstream(folder + "/" + name) << MakePng({.width = 40, .height = 30});
  }
  std::ofstream(folder + "/trimap.png") << MakePng({.width = 40, .height = 30, .colours = 0});
  std::ofstream(folder + "/names.yaml") << "modules: {}\n";
}

TEST(HelpTest, EachCommandTakesWhatItsHelpShows) {
  const std::string folder = EmptyFolder("help");
  WriteInputs(folder);
  for (const Case& test : ReadCaseTable(kCalls)) {
    const std::string command = Text(test, "command");
    const std::vector<Shown> shown = ShownFlags(command, folder);
    std::set<std::string> names, used;
    for (const Shown& flag : shown) names.insert(flag.name);
    for (const std::string& call : Texts(test, "call")) {
      std::vector<std::string> arguments = Arguments(call);
      const std::set<std::string> given = FlagsOf(arguments, names);
      used.insert(given.begin(), given.end());
      // A flag at its default changes nothing.
      for (std::string& argument : Defaults(shown, given)) arguments.push_back(std::move(argument));
      const ToolResult result = RunCommand(command, arguments, folder);
      EXPECT_EQ(result.exit_status, 0) << command << " " << call << "\n" << result.err;
    }
    used.erase("");
    EXPECT_THAT(names, UnorderedElementsAreArray(used)) << "the help and the calls of " << command;
    for (const std::string& flag : Texts(test, "refused")) {
      const std::string name = flag.substr(0, flag.find('='));
      EXPECT_THAT(RunCommand(command, {flag}, folder).err, HasSubstr(name + ": no such flag")) << command;
    }
  }
}

// The longest line, in characters.
size_t LongestLine(const std::string& text) {
  size_t longest = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) longest = std::max(longest, line.size());
  return longest;
}

TEST(HelpTest, HelpFitsATerminal) {
  const std::string folder = EmptyFolder("width");
  EXPECT_LE(LongestLine(RunCommand("help", {}, folder).out), 80u);
  for (const Case& test : ReadCaseTable(kCalls)) {
    EXPECT_LE(LongestLine(RunCommand(Text(test, "command"), {"--help"}, folder).out), 80u) << Text(test, "command");
  }
}

TEST(HelpTest, TheCatalogFitsATerminalAndIsATableElsewhere) {
  const std::string folder = EmptyFolder("catalog"), table = RunCommand("list", {}, folder).out;
  const std::string narrow = RunWarmProgram("release/modelport", {"list"}, folder, {{"COLUMNS", "80"}}).out;
  const std::string wide = RunWarmProgram("release/modelport", {"list"}, folder, {{"COLUMNS", "400"}}).out;
  EXPECT_THAT(table, StartsWith("model "));
  EXPECT_EQ(wide, table);
  EXPECT_LE(LongestLine(narrow), 80u);
  EXPECT_THAT(narrow, HasSubstr("licence of the weights: "));
}

TEST(HelpTest, TheTableHasEveryCommand) {
  std::vector<std::string> commands;
  for (const Case& test : ReadCaseTable(kCalls)) commands.push_back(Text(test, "command"));
  std::vector<std::string> listed;
  for (const absl::string_view line : absl::StrSplit(RunCommand("help", {}, EmptyFolder("list")).out, '\n')) {
    // The lines below that of a command begin with more spaces.
    if (absl::StartsWith(line, "  ") && !absl::StartsWith(line, "   ")) {
      listed.emplace_back(line.substr(2, line.find(' ', 2) - 2));
    }
  }
  EXPECT_THAT(listed, UnorderedElementsAreArray(commands));
}

TEST(HelpTest, TheHelpOfEachCommandStartsWithWhatItDoes) {
  for (const Case& test : ReadCaseTable(kCalls)) {
    const std::string command = Text(test, "command");
    const std::string help = RunCommand("help", {command}, EmptyFolder("page")).out;
    EXPECT_THAT(help, HasSubstr(absl::StrCat("\nUsage: modelport ", command, " [FLAG]..."))) << command;
    EXPECT_EQ(help, RunCommand(command, {"--help"}, EmptyFolder("page")).out);
  }
}

}  // namespace
}  // namespace modelport
