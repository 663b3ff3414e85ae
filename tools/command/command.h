#ifndef MODELPORT_TOOLS_COMMAND_COMMAND_H_
#define MODELPORT_TOOLS_COMMAND_COMMAND_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tools/command/flags.h"

namespace modelport {

class Report;

// One run of a tool, with flags of its own.
struct CommandRun {
  // What the tool does once `flags` are set. `others` are the arguments that are no flags, as the user typed them.
  using Start = std::function<absl::Status(const std::vector<std::string>& others)>;

  std::shared_ptr<const FlagGroup> flags;
  Start start;
  std::shared_ptr<const Report> report;  // To be printed at the end; null for a tool without --json.
};

// A tool, which may be a program of its own or one of several in a program.
struct Command {
  using Begin = std::function<CommandRun()>;

  std::string name;            // "lint"
  std::string summary;         // What it does. The first sentence stands alone in a list of tools.
  std::string arguments = {};  // What is given beside the flags: "FILE.pt"; "" for nothing.
  Begin begin;                 // Makes a run, whose flags have their defaults.
};

// The first sentence of the summary.
std::string ShortSummary(const Command& command);

// What --help prints: the summary, how to call the tool, and its flags, sorted by name, in lines of at most `columns`
// characters.
std::string CommandHelp(const Command& command, size_t columns = 80);

// Whether `argument` is the flag --json.
bool IsJson(absl::string_view argument);

// What --help says at its end of exit statuses, `with_json` also of those of the flag --json.
std::string StatusHelp(bool with_json);

// The flags of a tool that has none.
struct NoFlags {
  FlagGroup group;
};

// For tools of words, which are given beside the flags: each run makes a value of `Flags`, a struct with the FlagGroup
// `group`, and calls `run` with it. If `Flags` has a Report `report`, that is the report of the run.
template <typename Flags>
Command::Begin TakesWords(std::function<absl::Status(Flags& flags, const std::vector<std::string>& words)> run) {
  return [run = std::move(run)] {
    const auto flags = std::make_shared<Flags>();
    CommandRun made = {.flags = {flags, &flags->group},
                       .start = [run, flags](const std::vector<std::string>& others) { return run(*flags, others); },
                       .report = nullptr};
    if constexpr (requires { flags->report; }) made.report = {flags, &flags->report};
    return made;
  };
}

// InvalidArgument if there are `others`, arguments that are no flags.
absl::Status CheckNoOthers(const std::vector<std::string>& others);

// The same for tools with flags only. InvalidArgument if the user gives anything else.
template <typename Flags>
Command::Begin TakesFlags(std::function<absl::Status(Flags& flags)> run) {
  return TakesWords<Flags>([run = std::move(run)](Flags& flags, const std::vector<std::string>& others) {
    const absl::Status status = CheckNoOthers(others);
    return status.ok() ? run(flags) : status;
  });
}

// `paths` by ResolveUserPath.
std::vector<std::string> ResolveEach(std::vector<std::string> paths);

// The same for tools of files, whose paths are given beside the flags: `run` gets them from ResolveUserPath, and checks
// how many there are.
template <typename Flags>
Command::Begin TakesFiles(std::function<absl::Status(Flags& flags, const std::vector<std::string>& paths)> run) {
  return TakesWords<Flags>([run = std::move(run)](Flags& flags, const std::vector<std::string>& others) {
    return run(flags, ResolveEach(others));
  });
}

// Flushes stdout: 0, or `failed` if not all that was written could be, which is printed to stderr.
int FlushStdout(int failed);

// The main of every tool: begins a run of `command`, parses its flags and starts it. A failed status is printed to
// stderr as "CODE: message", details indented; with --json stdout has Report::Text. Returns the exit status of main: 0
// if the command succeeded, else 1 or, with --json, ReportedExitStatus. --help prints CommandHelp instead, --version
// the release of Modelport. Flushes all output. While the command runs, std::cout and std::cerr spell out control
// characters (PrintableStream), and an argument that has one is an error: text in a file, or a file's name, cannot
// imitate what the tool prints.
int RunTool(int argc, const char* const* argv, const Command& command);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_COMMAND_COMMAND_H_
