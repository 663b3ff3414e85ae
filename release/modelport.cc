// All tools as one program.
#include <cstdlib>

#include "release/modelport_commands.h"
#include "release/run_modelport.h"

int main(int argc, char** argv) {
  // Leaves out destructors, as tools/command/main.cc does.
  std::_Exit(modelport::RunModelport(argc, argv, modelport::ModelportCommands()));
}
