// Pages for the shell about a program's commands.
#ifndef MODELPORT_RELEASE_PAGES_H_
#define MODELPORT_RELEASE_PAGES_H_

#include <string>
#include <vector>

#include "tools/command/command.h"

namespace modelport {

// The manual page of modelport with `commands`, in the language of man.
std::string ManPage(const std::vector<Command>& commands);

// The scripts by which bash and zsh complete the names and flags of `commands`.
std::string BashCompletion(const std::vector<Command>& commands);
std::string ZshCompletion(const std::vector<Command>& commands);

// Commands that print these pages.
std::vector<Command> PageCommands(const std::vector<Command>& commands);

}  // namespace modelport

#endif  // MODELPORT_RELEASE_PAGES_H_
