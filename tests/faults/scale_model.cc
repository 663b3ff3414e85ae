#include "tests/faults/scale_model.h"

#include <cstdlib>
#include <fstream>

#include "tests/support/tool_process.h"

namespace modelport {
namespace {

// A safetensors file of the tensor gamma, three zeros in float32. Returns its path.
std::string WriteCheckpoint() {
  const std::string header = R"({"gamma":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}})";
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/scale.safetensors";
  std::ofstream(path, std::ios::binary) << static_cast<char>(header.size()) << std::string(7, '\0') << header
                                        << std::string(12, '\0');
  return path;
}

}  // namespace

std::vector<std::string> ScaleArguments(const std::string& tool, const std::string& weights) {
  std::vector<std::string> arguments = {"--model=scale", "--plugin_path=" + DataPath("tests/faults/plugin"),
                                        weights.empty() ? "--checkpoint=" + WriteCheckpoint() : weights};
  if (tool == "package") {
    arguments.insert(arguments.end(), {"--target=nuke", "--out=out"});
  } else {
    arguments.push_back("--out=m.pt");
  }
  return arguments;
}

}  // namespace modelport
