// The tools. Each is the library NAME_command and the program NAME.
#ifndef MODELPORT_TOOLS_COMMAND_COMMANDS_H_
#define MODELPORT_TOOLS_COMMAND_COMMANDS_H_

#include "tools/command/command.h"

namespace modelport {

Command ConvertCommand();
Command DiffCommand();
Command ExportCommand();
Command InspectCommand();
Command LintCommand();
Command ListCommand();
Command NewPluginCommand();
Command PackageCommand();
Command ParityCommand();
Command PredictCommand();
Command SignCommand();
Command VerifyCommand();

// What Bazel's rules run beside ExportCommand; no user calls it.
Command BillOfMaterialsCommand();
Command CatalogPageCommand();
Command PackageArtifactCommand();

}  // namespace modelport

#endif  // MODELPORT_TOOLS_COMMAND_COMMANDS_H_
