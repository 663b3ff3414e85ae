#include "tools/tool_main.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "absl/types/span.h"
#include "tools/flags.h"

namespace modelport {
namespace {

bool IsHelp(absl::string_view argument) { return argument == "--help" || argument == "-help" || argument == "-h"; }

absl::Status ParseAndRun(absl::Span<const char* const> arguments, const std::function<absl::Status()>& run) {
  const absl::Status parsed = ParseFlags(arguments);
  return parsed.ok() ? run() : parsed;
}

}  // namespace

int RunTool(int argc, char** argv, absl::string_view usage, const std::function<absl::Status()>& run) {
  const absl::Span<const char* const> arguments(argv + 1, argc - 1);
  if (std::any_of(arguments.begin(), arguments.end(), IsHelp)) {
    std::cout << FlagsHelp(usage);
    return 0;
  }
  const absl::Status status = ParseAndRun(arguments, run);
  std::cout.flush();
  if (status.ok()) return 0;
  std::cerr << absl::StatusCodeToString(status.code()) << ": " << status.message() << "\n";
  return 1;
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
