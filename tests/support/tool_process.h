#ifndef MODELPORT_TESTS_SUPPORT_TOOL_PROCESS_H_
#define MODELPORT_TESTS_SUPPORT_TOOL_PROCESS_H_

#include <sys/types.h>

#include <functional>
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

// A new, empty folder below the test's temporary folder.
std::string EmptyFolder(const std::string& name);

// A path of the test's data, absolute, so that tools find it from any folder.
std::string DataPath(const std::string& path);

// What a file holds.
std::string ReadFile(const std::string& path);

// The names in a folder, sorted.
std::vector<std::string> FileNames(const std::string& folder);

}  // namespace modelport

#endif  // MODELPORT_TESTS_SUPPORT_TOOL_PROCESS_H_
