#ifndef MODELPORT_TOOLS_COMMAND_USER_PATH_H_
#define MODELPORT_TOOLS_COMMAND_USER_PATH_H_

#include <string>
#include <vector>

namespace modelport {

// A relative `path` below the folder where the user typed `bazel run` or `bazelw run`; an absolute one as it is.
std::string ResolveUserPath(const std::string& path);

// The same for each of several paths with commas between; none for "". A file whose own name has a comma is one path.
std::vector<std::string> ResolveUserPaths(const std::string& paths);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_COMMAND_USER_PATH_H_
