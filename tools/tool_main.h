// The main of every tool: flags, streams and exit status.
#ifndef MODELPORT_TOOLS_TOOL_MAIN_H_
#define MODELPORT_TOOLS_TOOL_MAIN_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace modelport {

// Parses the flags of the tool and runs it. A failed status is printed to stderr as "CODE: message", details indented.
// Returns the exit status of main: 0 if `run` succeeded, else 1. --help prints `usage` and the flags instead,
// --version the release of Modelport. Flushes all output. While the tool runs, std::cout and std::cerr
// spell out control characters (PrintableStream), and an argument that has one is an error: text in a file, or a file's
// name, cannot imitate what the tool prints.
int RunTool(int argc, char** argv, absl::string_view usage, const std::function<absl::Status()>& run);

// The same for a tool of one file, whose path is given beside the flags: `run` gets it from ResolveUserPath.
int RunFileTool(int argc, char** argv, absl::string_view usage,
                const std::function<absl::Status(const std::string& path)>& run);

// The same for a tool of several files; `run` checks how many there are.
int RunFilesTool(int argc, char** argv, absl::string_view usage,
                 const std::function<absl::Status(const std::vector<std::string>& paths)>& run);

// A relative `path` below the folder where the user typed `bazel run` or `bazelw run`; an absolute one as it is.
std::string ResolveUserPath(const std::string& path);

// The same for each of several paths with commas between; none for "". A file whose own name has a comma is one path.
std::vector<std::string> ResolveUserPaths(const std::string& paths);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_TOOL_MAIN_H_
