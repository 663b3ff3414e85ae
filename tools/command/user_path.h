#ifndef MODELPORT_TOOLS_COMMAND_USER_PATH_H_
#define MODELPORT_TOOLS_COMMAND_USER_PATH_H_

#include <string>
#include <vector>

namespace modelport {

// A relative `path` below the folder where the user typed `bazel run` or `bazelw run`; an absolute one as it is.
std::string ResolveUserPath(const std::string& path);

// The same for each of several paths with commas between; none for "". A comma belongs to a path if a file or folder of
// that name exists, or a folder for a pattern in it: "a,b/*.jpg" is one path where there is a folder "a,b". A path has
// at most 8 commas.
std::vector<std::string> ResolveUserPaths(const std::string& paths);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_COMMAND_USER_PATH_H_
