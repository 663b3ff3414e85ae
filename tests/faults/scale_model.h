#ifndef MODELPORT_TESTS_FAULTS_SCALE_MODEL_H_
#define MODELPORT_TESTS_FAULTS_SCALE_MODEL_H_

#include <string>
#include <vector>

namespace modelport {

// The arguments with which export and package make the model of tests/faults/plugin, one of a single tensor:
//   export    m.pt and m.manifest.json
//   package   the folder out for Nuke
// Its weights are those of a checkpoint in the test's temporary folder, or what `weights` names: "--weights=seeded:3".
std::vector<std::string> ScaleArguments(const std::string& tool, const std::string& weights = "");

}  // namespace modelport

#endif  // MODELPORT_TESTS_FAULTS_SCALE_MODEL_H_
