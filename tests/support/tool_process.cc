#include "tests/support/tool_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace modelport {
namespace {

namespace fs = std::filesystem;

std::string StreamPath(const char* stream) { return fs::path(std::getenv("TEST_TMPDIR")) / stream; }

void RedirectTo(const std::string& path, int descriptor) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(file, descriptor);
  close(file);
}

}  // namespace

pid_t StartProgram(const std::string& path, const std::vector<std::string>& arguments, const std::string& folder,
                   const std::function<void()>& prepare) {
  const std::string program = DataPath(path);
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t pid = fork();
  if (pid != 0) return pid;
  RedirectTo(StreamPath("out"), STDOUT_FILENO);
  RedirectTo(StreamPath("err"), STDERR_FILENO);
  unsetenv("BUILD_WORKING_DIRECTORY");
  if (chdir(folder.c_str()) != 0) _exit(126);
  prepare();
  execv(program.c_str(), argv.data());
  _exit(127);
}

pid_t StartTool(const std::string& name, const std::vector<std::string>& arguments, const std::string& folder,
                const std::function<void()>& prepare) {
  return StartProgram("tools/" + name + "/" + name, arguments, folder, prepare);
}

ToolResult FinishTool(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), ReadFile(StreamPath("out")),
          ReadFile(StreamPath("err"))};
}

ToolResult RunTool(const std::string& name, const std::vector<std::string>& arguments, const std::string& folder,
                   const std::function<void()>& prepare) {
  return FinishTool(StartTool(name, arguments, folder, prepare));
}

std::string EmptyFolder(const std::string& name) {
  const fs::path folder = fs::path(std::getenv("TEST_TMPDIR")) / name;
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

std::string DataPath(const std::string& path) { return fs::absolute(path); }

std::string ReadFile(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<std::string> FileNames(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace modelport
