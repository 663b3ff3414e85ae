#include "release/modelport_commands.h"

#include <utility>

#include "release/pages.h"
#include "tools/command/commands.h"

namespace modelport {

std::vector<Command> ModelportCommands() {
  std::vector<Command> commands = {ConvertCommand(), DiffCommand(),    ExportCommand(),    InspectCommand(),
                                   LintCommand(),    ListCommand(),    NewPluginCommand(), PackageCommand(),
                                   ParityCommand(),  PredictCommand(), SignCommand(),      VerifyCommand()};
  for (Command& page : PageCommands(commands)) commands.push_back(std::move(page));
  return commands;
}

}  // namespace modelport
