#ifndef MODELPORT_TESTS_FAULTS_FAULTS_H_
#define MODELPORT_TESTS_FAULTS_FAULTS_H_

#include <map>
#include <string>
#include <vector>

#include "tests/support/tool_process.h"

namespace modelport {

// The contents of files by their names.
using Files = std::map<std::string, std::string>;

// The files in `folder` and below, by their paths within it.
Files FilesIn(const std::string& folder);

// Those that are complete: neither a file nor a folder above it has a name that begins with a dot.
Files WithoutPartials(const Files& files);

// The calls of tests/faults/fault_shim.cc that change file names, with commas.
extern const char kNameCalls[];

// Runs the program at `path` of the test's data (RunWarmProgram) under tests/faults/fault_shim.cc, which `faults` tells
// what to do: its environment variables.
ToolResult RunFaulty(const std::string& path, const std::vector<std::string>& arguments, const std::string& folder,
                     const std::map<std::string, std::string>& faults);

// Whether the fault of the last such run came, before the run was over.
bool FaultCame();

// The arguments with which export and package make the model of tests/faults/plugin, one of a single tensor:
//   export    m.pt and m.manifest.json
//   package   the folder out for Nuke
// Its weights are those of a checkpoint in the test's temporary folder, or what `weights` names: "--weights=seeded:3".
std::vector<std::string> ScaleArguments(const std::string& tool, const std::string& weights = "");

}  // namespace modelport

#endif  // MODELPORT_TESTS_FAULTS_FAULTS_H_
