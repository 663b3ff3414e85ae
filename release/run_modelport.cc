#include "release/run_modelport.h"

#include <algorithm>
#include <iostream>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/text/nearest.h"
#include "common/text/printable.h"
#include "common/text/table.h"
#include "tools/command/command.h"
#include "tools/command/report.h"
#include "tools/command/terminal.h"
#include "tools/command/tool_call.h"

namespace modelport {
namespace {

const Command* FindCommand(const std::vector<Command>& commands, absl::string_view name) {
  const auto found = std::find_if(commands.begin(), commands.end(), [&](const Command& c) { return c.name == name; });
  return found == commands.end() ? nullptr : &*found;
}

bool IsHelp(absl::string_view word) { return word == "help" || word == "--help" || word == "-help" || word == "-h"; }

bool IsVersion(absl::string_view word) { return word == "version" || word == "--version" || word == "-version"; }

// Of a call that names no command, which may still want a report.
struct NoCommandFlags {
  FlagGroup group;
  Report report{group};
};

// Prints the error of a user who names no command, of whose `arguments` only --json counts.
int NameNoCommand(absl::string_view word, absl::Span<const char* const> arguments,
                  const std::vector<Command>& commands) {
  std::vector<std::string> names = {"help"};
  for (const Command& command : commands) names.push_back(command.name);
  const std::string problem = word.empty()
                                  ? "the command is missing"
                                  : absl::StrCat(Printable(word), ": no such command", NearestHint(word, names));
  const auto fail = [&](const NoCommandFlags&) {
    return absl::InvalidArgumentError(absl::StrCat(problem, "\n`modelport help` lists them"));
  };
  const bool wants_report = std::any_of(arguments.begin(), arguments.end(), IsJson);
  const char* const argv[] = {"modelport", "--json"};
  return RunTool(wants_report ? 2 : 1, argv,
                 {.name = "modelport", .summary = "", .begin = TakesFlags<NoCommandFlags>(fail)});
}

// `command` by the name with which users of modelport call it.
Command OfModelport(Command command) {
  command.name = absl::StrCat("modelport ", command.name);
  return command;
}

}  // namespace

std::string CommandList(const std::vector<Command>& commands) {
  Table table;
  for (const Command& command : commands) {
    table.AddRow({absl::StrCat("  ", command.name), ShortSummary(command)});
  }
  return absl::StrCat("Turns published vision models into TorchScript files, and proves them.\n",
                      "Usage: modelport COMMAND [FLAG]...\n\n", table.ToString(HelpColumns()),
                      "\n`modelport help COMMAND` lists its flags, `modelport --version` the release.\n",
                      absl::StrJoin(Wrap(StatusHelp(/*with_json=*/true), HelpColumns()), "\n"), "\n");
}

int RunModelport(int argc, const char* const* argv, const std::vector<Command>& commands,
                 const std::vector<Command>& unlisted) {
  SetAllToolsProgram("modelport");
  const absl::string_view word = argc > 1 ? argv[1] : "";
  for (const std::vector<Command>* some : {&commands, &unlisted}) {
    if (const Command* const command = FindCommand(*some, word)) {
      return RunTool(argc - 1, argv + 1, OfModelport(*command));
    }
  }
  if (IsVersion(word)) {
    const char* const version[] = {"modelport", "--version"};
    return RunTool(2, version, {});
  }
  const absl::Span<const char* const> arguments(argv, argc);
  if (!IsHelp(word)) return NameNoCommand(word, arguments, commands);
  if (argc == 2) {
    std::cout << CommandList(commands);
    return FlushStdout(/*failed=*/1);
  }
  const Command* const command = FindCommand(commands, argv[2]);
  if (command == nullptr) return NameNoCommand(argv[2], arguments, commands);
  const char* const help[] = {"modelport", "--help"};
  return RunTool(2, help, OfModelport(*command));
}

}  // namespace modelport
