#include "tools/command/user_path.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace modelport {
namespace {

// Of one path. Each of a long list would take time by the square of its length.
constexpr size_t kMostCommas = 8;

// The pieces from `begin` to `end` as they stood in the list.
std::string Joined(const std::vector<std::string>& pieces, size_t begin, size_t end) {
  return absl::StrJoin(pieces.begin() + static_cast<std::ptrdiff_t>(begin),
                       pieces.begin() + static_cast<std::ptrdiff_t>(end), ",");
}

// Whether `text`, which has commas, is one path. `last`, what stands behind its last comma, may end with a new name or
// a pattern if the folder before it exists.
bool IsThere(const std::string& text, const std::string& last) {
  std::error_code error;
  // Not in its normal form: that of "a.jpg,b/../c.jpg" would be c.jpg.
  const std::filesystem::path path = std::filesystem::path(ResolveUserPath("")) / text;
  if (std::filesystem::exists(path, error)) return true;
  return last.find('/') != std::string::npos && std::filesystem::is_directory(path.parent_path(), error);
}

}  // namespace

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
  const std::vector<std::string> pieces = absl::StrSplit(paths, ',');
  std::vector<std::string> resolved;
  for (size_t begin = 0; begin < pieces.size();) {
    // The longest path that there is, or else the text before the comma.
    size_t end = std::min(pieces.size(), begin + 1 + kMostCommas);
    while (end > begin + 1 && !IsThere(Joined(pieces, begin, end), pieces[end - 1])) --end;
    resolved.push_back(ResolveUserPath(Joined(pieces, begin, end)));
    begin = end;
  }
  return resolved;
}

}  // namespace modelport
