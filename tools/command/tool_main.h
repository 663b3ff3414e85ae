// The main of every tool: flags, streams and exit status.
#ifndef MODELPORT_TOOLS_COMMAND_TOOL_MAIN_H_
#define MODELPORT_TOOLS_COMMAND_TOOL_MAIN_H_

#include "tools/command/command.h"

namespace modelport {

// Parses the flags of `command` and runs it. A failed status is printed to stderr as "CODE: message", details indented.
// Returns the exit status of main: 0 if the command succeeded, else 1. --help prints CommandHelp instead, --version the
// release of Modelport. Flushes all output. While the command runs, std::cout and std::cerr spell out control
// characters (PrintableStream), and an argument that has one is an error: text in a file, or a file's name, cannot
// imitate what the tool prints.
int RunTool(int argc, const char* const* argv, const Command& command);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_COMMAND_TOOL_MAIN_H_
