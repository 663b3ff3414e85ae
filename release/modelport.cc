// All tools as one program.
#include <cstdlib>
#include <utility>
#include <vector>

#include "release/pages.h"
#include "release/run_modelport.h"
#include "tools/command/command.h"
#include "tools/command/commands.h"

namespace modelport {
namespace {

// The commands of the program modelport: the tools, and those of release/pages.h.
std::vector<Command> ModelportCommands() {
  std::vector<Command> commands = {ConvertCommand(), DiffCommand(),    ExportCommand(),    InspectCommand(),
                                   LintCommand(),    ListCommand(),    NewPluginCommand(), PackageCommand(),
                                   ParityCommand(),  PredictCommand(), SignCommand(),      VerifyCommand()};
  for (Command& page : PageCommands(commands)) commands.push_back(std::move(page));
  return commands;
}

// What the rules of build_defs/ run with the exporter of a release (modelport_release.bzl).
std::vector<Command> RuleCommands() {
  return {BillOfMaterialsCommand(), CatalogPageCommand(), PackageArtifactCommand()};
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  // Leaves out destructors, as tools/command/main.cc does.
  std::_Exit(modelport::RunModelport(argc, argv, modelport::ModelportCommands(), modelport::RuleCommands()));
}
