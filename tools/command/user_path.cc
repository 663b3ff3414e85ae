#include "tools/command/user_path.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace modelport {

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
