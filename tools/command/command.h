#ifndef MODELPORT_TOOLS_COMMAND_COMMAND_H_
#define MODELPORT_TOOLS_COMMAND_COMMAND_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tools/command/flags.h"

namespace modelport {

// A tool, which may be a program of its own or one of several in a program.
struct Command {
  // What the tool does. `others` are the arguments that are no flags, as the user typed them.
  using Run = std::function<absl::Status(const std::vector<std::string>& others)>;

  std::string name;            // "lint"
  std::string summary;         // What it does. The first sentence stands alone in a list of tools.
  std::string arguments = {};  // What is given beside the flags: "FILE.pt"; "" for nothing.
  FlagGroup flags;
  Run run;
};

// The first sentence of the summary.
std::string ShortSummary(const Command& command);

// What --help prints: the summary, how to call the tool, and its flags, sorted by name, in lines of at most `columns`
// characters.
std::string CommandHelp(const Command& command, size_t columns = 80);

// For tools with flags only. InvalidArgument if the user gives anything else.
Command::Run TakesFlags(std::function<absl::Status()> run);

// For tools of files, whose paths are given beside the flags: `run` gets them from ResolveUserPath, and checks how many
// there are.
Command::Run TakesFiles(std::function<absl::Status(const std::vector<std::string>& paths)> run);

// The main of every tool: parses the flags of `command` and runs it. A failed status is printed to stderr as "CODE:
// message", details indented; with --json stdout has ReportText. Returns the exit status of main: 0 if the command
// succeeded, else 1. --help prints CommandHelp instead, --version the release of Modelport. Flushes all output. While
// the command runs, std::cout and std::cerr spell out control characters (PrintableStream), and an argument that has
// one is an error: text in a file, or a file's name, cannot imitate what the tool prints.
int RunTool(int argc, const char* const* argv, const Command& command);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_COMMAND_COMMAND_H_
