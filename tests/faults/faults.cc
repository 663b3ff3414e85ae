#include "tests/faults/faults.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/tool_process.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

std::string MarkPath() { return fs::path(std::getenv("TEST_TMPDIR")) / "fault_came"; }

bool IsPartial(const std::string& path) { return path[0] == '.' || path.find("/.") != std::string::npos; }

// A safetensors file of the tensor gamma, three zeros in float32. Returns its path.
std::string WriteCheckpoint() {
  const std::string header = R"({"gamma":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}})";
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/scale.safetensors";
  std::ofstream(path, std::ios::binary) << static_cast<char>(header.size()) << std::string(7, '\0') << header
                                        << std::string(12, '\0');
  return path;
}

}  // namespace

const char kNameCalls[] = "rename,link,linkat,unlink,fsync,ftruncate,flock,mkdir";

Files FilesIn(const std::string& folder) {
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files[entry.path().lexically_relative(folder)] = ReadFile(entry.path());
  }
  return files;
}

Files WithoutPartials(const Files& files) {
  Files complete;
  for (const auto& file : files) {
    if (!IsPartial(file.first)) complete.insert(file);
  }
  return complete;
}

ToolResult RunFaulty(const std::string& path, const std::vector<std::string>& arguments, const std::string& folder,
                     const std::map<std::string, std::string>& faults) {
  fs::remove(MarkPath());
  std::map<std::string, std::string> variables = faults;
  variables["FAULT_MARK"] = MarkPath();
  return RunWarmProgram(path, arguments, folder, variables, "tests/faults/libfault_shim.so");
}

bool FaultCame() { return fs::exists(MarkPath()); }

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
