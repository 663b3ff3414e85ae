// What the mains of all tools share: flags, streams and exit status.
#ifndef MODELPORT_TOOLS_TOOL_MAIN_H_
#define MODELPORT_TOOLS_TOOL_MAIN_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace modelport {

// Parses the flags of the tool and runs it. A failed status is printed to stderr as "CODE: message", details indented.
// Returns the exit status of main: 0 if `run` succeeded, else 1. --help prints `usage` and the flags instead. All
// output is flushed. Meanwhile std::cout and std::cerr print as PrintableStream says, and no argument may hold control
// characters, so that nothing that a file holds or is called can pass for the tool's own words.
int RunTool(int argc, char** argv, absl::string_view usage, const std::function<absl::Status()>& run);

// The same for a tool of one file, whose path is given beside the flags: `run` gets it as the user meant it.
int RunFileTool(int argc, char** argv, absl::string_view usage,
                const std::function<absl::Status(const std::string& path)>& run);

// `path` as the user meant it: relative to the folder where `bazel run` or `bazelw run` was typed.
std::string ResolveUserPath(const std::string& path);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_TOOL_MAIN_H_
