#include "tests/faults.h"

#include <cstdlib>
#include <filesystem>

namespace modelport {
namespace {

namespace fs = std::filesystem;

std::string MarkPath() { return fs::path(std::getenv("TEST_TMPDIR")) / "fault_came"; }

}  // namespace

ToolResult RunFaultyTool(const std::string& name, const std::vector<std::string>& arguments, const std::string& folder,
                         const std::map<std::string, std::string>& faults) {
  fs::remove(MarkPath());
  const std::string shim = DataPath("tests/libfault_shim.so");
  return RunTool(name, arguments, folder, [&] {
    for (const auto& [variable, value] : faults) setenv(variable.c_str(), value.c_str(), 1);
    setenv("FAULT_MARK", MarkPath().c_str(), 1);
    setenv("LD_PRELOAD", shim.c_str(), 1);
    // The sanitizer's library is loaded after the preloaded one.
    setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
  });
}

bool FaultCame() { return fs::exists(MarkPath()); }

}  // namespace modelport
