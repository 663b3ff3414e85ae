#include "tools/tool_main.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "common/status/catch_exceptions.h"
#include "common/status/status_macros.h"
#include "common/text/first_few.h"
#include "common/text/printable.h"
#include "common/text/printable_stream.h"
#include "pipeline/version.h"
#include "tools/flags.h"

namespace modelport {
namespace {

bool IsHelp(absl::string_view argument) { return argument == "--help" || argument == "-help" || argument == "-h"; }

bool IsVersion(absl::string_view argument) { return argument == "--version" || argument == "-version"; }

// Memory blocks of at least this size go back to the system when they are freed. By default glibc keeps them once the
// first is freed, and small blocks inside keep them from being used again.
constexpr int kLargeBlock = 1 << 20;

// A tool that is given `others` beside the flags.
using Run = std::function<absl::Status(const std::vector<std::string>& others)>;

// Flags and paths become parts of messages: a line end in one could forge a line.
absl::Status CheckVisible(absl::string_view argument) {
  if (std::none_of(argument.begin(), argument.end(), absl::ascii_iscntrl)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(Printable(argument), ": holds control characters, which names may not"));
}

absl::Status ParseAndRun(absl::Span<const char* const> arguments, const Run& run) {
  for (const char* const argument : arguments) RETURN_IF_ERROR(CheckVisible(argument));
  RETURN_IF_ERROR(CheckVisible(ResolveUserPath("")));
  ASSIGN_OR_RETURN(const std::vector<std::string> others, ParseFlags(arguments));
  return run(others);
}

// "CODE: message", of which every line but the first is indented.
std::string ErrorText(const absl::Status& status) {
  std::vector<std::string> lines = absl::StrSplit(status.message(), '\n');
  for (size_t i = 1; i < lines.size(); ++i) {
    if (!absl::StartsWith(lines[i], "  ")) lines[i] = absl::StrCat("  ", lines[i]);
  }
  return absl::StrCat(absl::StatusCodeToString(status.code()), ": ", absl::StrJoin(lines, "\n"), "\n");
}

int RunWithOthers(int argc, char** argv, absl::string_view usage, const Run& run) {
  mallopt(M_MMAP_THRESHOLD, kLargeBlock);
  const PrintableStream out(std::cout), err(std::cerr);
  const absl::Span<const char* const> arguments(argv + 1, argc - 1);
  if (std::any_of(arguments.begin(), arguments.end(), IsHelp)) {
    std::cout << FlagsHelp(usage) << std::flush;
    return 0;
  }
  if (std::any_of(arguments.begin(), arguments.end(), IsVersion)) {
    std::cout << "Modelport " << kModelportVersion << "\n" << std::flush;
    return 0;
  }
  const absl::Status status = CatchExceptions([&] { return ParseAndRun(arguments, run); });
  std::cout.flush();
  if (status.ok()) return 0;
  std::cerr << ErrorText(status);
  return 1;
}

}  // namespace

int RunTool(int argc, char** argv, absl::string_view usage, const std::function<absl::Status()>& run) {
  return RunWithOthers(argc, argv, usage, [&run](const std::vector<std::string>& others) {
    if (others.empty()) return run();
    return absl::InvalidArgumentError(absl::StrCat(others.front(), ": is no flag; flags are written --name=value"));
  });
}

int RunFileTool(int argc, char** argv, absl::string_view usage,
                const std::function<absl::Status(const std::string& path)>& run) {
  return RunWithOthers(argc, argv, usage, [&run](const std::vector<std::string>& others) {
    if (others.size() == 1) return run(ResolveUserPath(others.front()));
    return absl::InvalidArgumentError(
        others.empty() ? "the file is missing: give its path beside the flags"
                       : absl::StrCat("wants one file, has ", others.size(), ": ", FirstFew(others)));
  });
}

int RunFilesTool(int argc, char** argv, absl::string_view usage,
                 const std::function<absl::Status(const std::vector<std::string>& paths)>& run) {
  return RunWithOthers(argc, argv, usage, [&run](std::vector<std::string> others) {
    for (std::string& path : others) path = ResolveUserPath(path);
    return run(others);
  });
}

std::string ResolveUserPath(const std::string& path) {
  // bazelw sets the first one if the user called it outside the repository, where Bazel refuses to start.
  for (const char* variable : {"MODELPORT_WORKING_DIRECTORY", "BUILD_WORKING_DIRECTORY"}) {
    if (const char* const folder = std::getenv(variable)) {
      return (std::filesystem::path(folder) / path).lexically_normal();
    }
  }
  return path;
}

std::vector<std::string> ResolveUserPaths(const std::string& paths) {
  if (paths.empty()) return {};
  std::error_code error;
  if (std::string path = ResolveUserPath(paths); std::filesystem::exists(path, error)) return {std::move(path)};
  std::vector<std::string> resolved;
  for (const absl::string_view path : absl::StrSplit(paths, ','))
    resolved.push_back(ResolveUserPath(std::string(path)));
  return resolved;
}

}  // namespace modelport
