#include "tools/command/command.h"

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "common/io/input_record.h"
#include "common/manifest/version.h"
#include "common/status/catch_exceptions.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
#include "common/text/table.h"
#include "tools/command/memory.h"
#include "tools/command/report.h"
#include "tools/command/terminal.h"
#include "tools/command/tool_call.h"
#include "tools/command/user_path.h"

namespace modelport {
namespace {

bool IsHelp(absl::string_view argument) { return argument == "--help" || argument == "-help" || argument == "-h"; }

bool IsVersion(absl::string_view argument) { return argument == "--version" || argument == "-version"; }

// Flags and paths become parts of messages: a line end in one could forge a line.
absl::Status CheckVisible(absl::string_view argument) {
  if (std::none_of(argument.begin(), argument.end(), absl::ascii_iscntrl)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(Printable(argument), ": holds control characters, which names may not"));
}

// Sets the flags of `run`; returns the arguments that are none.
absl::StatusOr<std::vector<std::string>> Parse(absl::Span<const char* const> arguments, const CommandRun& run) {
  for (const char* const argument : arguments) RETURN_IF_ERROR(CheckVisible(argument));
  RETURN_IF_ERROR(CheckVisible(ResolveUserPath("")));
  return ParseFlags(*run.flags, arguments);
}

// "CODE: message", of which every line but the first is indented.
std::string ErrorText(const absl::Status& status) {
  std::vector<std::string> lines = absl::StrSplit(status.message(), '\n');
  for (size_t i = 1; i < lines.size(); ++i) {
    if (!absl::StartsWith(lines[i], "  ")) lines[i] = absl::StrCat("  ", lines[i]);
  }
  return absl::StrCat(absl::StatusCodeToString(status.code()), ": ", absl::StrJoin(lines, "\n"), "\n");
}

}  // namespace

std::string ShortSummary(const Command& command) {
  const size_t end = command.summary.find(". ");
  return end == std::string::npos ? command.summary : command.summary.substr(0, end + 1);
}

bool IsJson(absl::string_view argument) {
  if (!absl::ConsumePrefix(&argument, "-")) return false;
  absl::ConsumePrefix(&argument, "-");
  return argument == "json" || argument == "json=true";
}

std::string StatusHelp(bool with_json) {
  return absl::StrCat(
      "The exit status is 0 if all is done and proven, else 1, and the first word on stderr is a code that tells a "
      "wrong flag, what is refused, a damaged file and others apart: ",
      PagePlace("json.md#codes"), ".",
      with_json ? " With --json the status is 2 for a wrong flag, 3 for a damaged file, 4 for what is unavailable, and "
                  "1 for all else."
                : "");
}

std::string CommandHelp(const Command& command, size_t columns) {
  const std::string arguments = command.arguments.empty() ? "" : absl::StrCat(" ", command.arguments);
  const CommandRun run = command.begin();
  const std::string flags = FlagsTable(*run.flags, columns);
  const std::string status = StatusHelp(/*with_json=*/run.report != nullptr);
  return absl::StrCat(absl::StrJoin(Wrap(command.summary, columns), "\n"), "\nUsage: ", command.name, " [FLAG]...",
                      arguments, "\n\n", flags, flags.empty() ? "" : "\n", absl::StrJoin(Wrap(status, columns), "\n"),
                      "\n");
}

absl::Status CheckNoOthers(const std::vector<std::string>& others) {
  if (others.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(others.front(), ": is no flag; flags are written --name=value"));
}

std::vector<std::string> ResolveEach(std::vector<std::string> paths) {
  for (std::string& path : paths) path = ResolveUserPath(path);
  return paths;
}

int FlushStdout(int failed) {
  if (std::cout.flush()) return 0;
  std::cerr << ErrorText(absl::ResourceExhaustedError(
      "stdout: not everything could be written to it; its disk may be full, or its reader gone"));
  return failed;
}

int RunTool(int argc, const char* const* argv, const Command& command) {
  GiveBackFreedMemory();
  const PrintableStream out(std::cout), err(std::cerr);
  const absl::Span<const char* const> arguments(argv + 1, argc - 1);
  if (std::any_of(arguments.begin(), arguments.end(), IsHelp)) {
    std::cout << CommandHelp(command, HelpColumns());
    return FlushStdout(/*failed=*/1);
  }
  if (std::any_of(arguments.begin(), arguments.end(), IsVersion)) {
    std::cout << "Modelport " << kModelportVersion << "\n";
    return FlushStdout(/*failed=*/1);
  }
  const InputRecord record;
  const CommandRun run = command.begin();
  absl::StatusOr<std::vector<std::string>> others;
  const absl::Status status = CatchExceptions([&] {
    others = Parse(arguments, run);
    return others.ok() ? run.start(*others) : others.status();
  });
  // "modelport list" in a program of several commands.
  const std::string name = command.name.substr(command.name.rfind(' ') + 1);
  // A wrong flag in front of --json ends the parsing before it is seen.
  const bool is_unseen = !others.ok() && std::any_of(arguments.begin(), arguments.end(), IsJson);
  const bool is_reported = run.report != nullptr && (run.report->is_wanted() || is_unseen);
  if (is_reported) std::cout << run.report->Text(name, status);
  if (status.ok()) return FlushStdout(is_reported ? ReportedExitStatus(absl::ResourceExhaustedError("")) : 1);
  std::cout.flush();
  std::cerr << ErrorText(status);
  return is_reported ? ReportedExitStatus(status) : 1;
}

}  // namespace modelport
