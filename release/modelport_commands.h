#ifndef MODELPORT_RELEASE_MODELPORT_COMMANDS_H_
#define MODELPORT_RELEASE_MODELPORT_COMMANDS_H_

#include <vector>

#include "tools/command/command.h"

namespace modelport {

// The commands of the program modelport: the tools, and those of release/pages.h.
std::vector<Command> ModelportCommands();

}  // namespace modelport

#endif  // MODELPORT_RELEASE_MODELPORT_COMMANDS_H_
