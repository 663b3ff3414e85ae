#ifndef MODELPORT_TESTS_SUPPORT_TOOL_PROCESS_H_
#define MODELPORT_TESTS_SUPPORT_TOOL_PROCESS_H_

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace modelport {

// A program's finished run.
struct ToolResult {
  int exit_status = 0;  // 128 + the signal's number if a signal ended it.
  std::string out;
  std::string err;
};

// Starts the program at `path` of the test's data in the folder `folder`; its streams go to the files out and err of
// the test's temporary folder. `prepare` runs in the child before the program does.
pid_t StartProgram(
    const std::string& path, const std::vector<std::string>& arguments, const std::string& folder,
    const std::function<void()>& prepare = [] {});

// Starts the tool `name` of //tools so.
pid_t StartTool(
    const std::string& name, const std::vector<std::string>& arguments, const std::string& folder,
    const std::function<void()>& prepare = [] {});

// Waits for it.
ToolResult FinishTool(pid_t pid);

// Starts a tool and waits for it.
ToolResult RunTool(
    const std::string& name, const std::vector<std::string>& arguments, const std::string& folder,
    const std::function<void()>& prepare = [] {});

// Runs the program at `path` of the test's data as StartProgram does, with further `variables` in its environment, but
// starts it once for all such runs of a test: it waits before its main and forks there for each (warm_start.cc). A
// program that links LibTorch takes 0.2 s of processor time to start, more than most runs of it. A run differs from
// that of a new process in these things: all have the same addresses, so that two cannot show that a result does not
// depend on them; what libraries read before main, such as the variables of OpenMP, is that of the first run; and so
// are limits of resources. `preloaded` is a library of the test's data that is loaded before the others, or "".
ToolResult RunWarmProgram(const std::string& path, const std::vector<std::string>& arguments, const std::string& folder,
                          const std::map<std::string, std::string>& variables = {}, const std::string& preloaded = "");

// Runs a tool so.
ToolResult RunWarmTool(const std::string& name, const std::vector<std::string>& arguments, const std::string& folder,
                       const std::map<std::string, std::string>& variables = {});

// A new, empty folder below the test's temporary folder.
std::string EmptyFolder(const std::string& name);

// A path of the test's data, absolute, so that tools find it from any folder.
std::string DataPath(const std::string& path);

// What a file holds.
std::string ReadFile(const std::string& path);

// The names in a folder, sorted.
std::vector<std::string> FileNames(const std::string& folder);

// Holds this process to what a tool may take for files of `size` bytes together: private memory of twice their size
// plus 256 MB, and a minute of processor time. Linear work takes a few seconds, so the minute catches quadratic work.
// AddressSanitizer's own memory is private, too; under it there is no limit of memory.
void LimitMemoryAndTime(size_t size);

}  // namespace modelport

#endif  // MODELPORT_TESTS_SUPPORT_TOOL_PROCESS_H_
