// The program of one command. The macro tool() defines MODELPORT_COMMAND, a function of tools/command/commands.h.
#include <cstdlib>

#include "tools/command/command.h"
#include "tools/command/commands.h"

int main(int argc, char** argv) {
  // All files are complete and all output is flushed here. _Exit leaves out the destructors of the model and of
  // LibTorch, which take a tenth of a second.
  std::_Exit(modelport::RunTool(argc, argv, modelport::MODELPORT_COMMAND()));
}
