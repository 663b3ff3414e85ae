#include "tests/faults/faults.h"

#include <cstdlib>
#include <filesystem>

namespace modelport {
namespace {

namespace fs = std::filesystem;

std::string MarkPath() { return fs::path(std::getenv("TEST_TMPDIR")) / "fault_came"; }

bool IsPartial(const std::string& path) { return path[0] == '.' || path.find("/.") != std::string::npos; }

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

}  // namespace modelport
