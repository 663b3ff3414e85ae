#ifndef MODELPORT_TESTS_FAULTS_H_
#define MODELPORT_TESTS_FAULTS_H_

#include <map>
#include <string>
#include <vector>

#include "tests/tool_process.h"

namespace modelport {

// Runs the tool `name` under tests/fault_shim.cc, which `faults` tells what to do: its environment variables.
ToolResult RunFaultyTool(const std::string& name, const std::vector<std::string>& arguments, const std::string& folder,
                         const std::map<std::string, std::string>& faults);

// Whether the fault of the last such run came, before the run was over.
bool FaultCame();

}  // namespace modelport

#endif  // MODELPORT_TESTS_FAULTS_H_
