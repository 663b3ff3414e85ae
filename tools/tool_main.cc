#include "tools/tool_main.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/status/catch_exceptions.h"
#include "common/status/status_macros.h"
#include "common/text/nearest.h"
#include "tools/flags.h"

namespace modelport {
namespace {

bool IsHelp(absl::string_view argument) { return argument == "--help" || argument == "-help" || argument == "-h"; }

// A tool that is given `others` beside the flags.
using Run = std::function<absl::Status(const std::vector<std::string>& others)>;

absl::Status ParseAndRun(absl::Span<const char* const> arguments, const Run& run) {
  ASSIGN_OR_RETURN(const std::vector<std::string> others, ParseFlags(arguments));
  return run(others);
}

int RunWithOthers(int argc, char** argv, absl::string_view usage, const Run& run) {
  const absl::Span<const char* const> arguments(argv + 1, argc - 1);
  if (std::any_of(arguments.begin(), arguments.end(), IsHelp)) {
    std::cout << FlagsHelp(usage) << std::flush;
    return 0;
  }
  const absl::Status status = CatchExceptions([&] { return ParseAndRun(arguments, run); });
  std::cout.flush();
  if (status.ok()) return 0;
  std::cerr << absl::StatusCodeToString(status.code()) << ": " << status.message() << "\n";
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

std::string ResolveUserPath(const std::string& path) {
  // bazelw sets the first one if it was called from outside the repository, where Bazel does not start.
  for (const char* variable : {"MODELPORT_WORKING_DIRECTORY", "BUILD_WORKING_DIRECTORY"}) {
    if (const char* const folder = std::getenv(variable)) {
      return (std::filesystem::path(folder) / path).lexically_normal();
    }
  }
  return path;
}

}  // namespace modelport
