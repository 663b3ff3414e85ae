#include "tools/tool_main.h"

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/flags/usage_config.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace modelport {

int RunTool(int argc, char** argv, absl::string_view usage, const std::function<absl::Status()>& run) {
  absl::SetProgramUsageMessage(usage);
  absl::FlagsUsageConfig config;
  // A tool's flags are those defined below tools/; Abseil's own would only bury them.
  const auto is_tools_flag = [](absl::string_view file) { return absl::StartsWith(file, "tools/"); };
  config.contains_help_flags = is_tools_flag;
  config.contains_helpshort_flags = is_tools_flag;
  absl::SetFlagsUsageConfig(config);
  const std::vector<char*> positional = absl::ParseCommandLine(argc, argv);
  absl::Status status =
      positional.size() > 1
          ? absl::InvalidArgumentError(
                absl::StrCat("\"", positional[1], "\" is no flag: flags are written --name=value; --help lists them"))
          : run();
  if (status.ok()) return 0;
  std::cout.flush();
  std::cerr << absl::StatusCodeToString(status.code()) << ": " << status.message() << "\n";
  return 1;
}

std::string ResolveUserPath(const std::string& path) {
  const char* folder = std::getenv("BUILD_WORKING_DIRECTORY");
  if (folder == nullptr) return path;
  return (std::filesystem::path(folder) / path).lexically_normal();
}

}  // namespace modelport
