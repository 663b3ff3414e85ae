#ifndef MODELPORT_RELEASE_RUN_MODELPORT_H_
#define MODELPORT_RELEASE_RUN_MODELPORT_H_

#include <string>
#include <vector>

#include "tools/command/command.h"

namespace modelport {

// Runs the command of `commands` that the first argument names: `modelport export --model=...`. Returns the exit status
// of main, as RunTool. `help`, or --help, prints CommandList; `help NAME` what `NAME --help` prints; --version the
// release. Commands of `unlisted` run, too, and are named nowhere: they are no user's.
int RunModelport(int argc, const char* const* argv, const std::vector<Command>& commands,
                 const std::vector<Command>& unlisted = {});

// What `modelport help` prints: a line for each command.
std::string CommandList(const std::vector<Command>& commands);

}  // namespace modelport

#endif  // MODELPORT_RELEASE_RUN_MODELPORT_H_
