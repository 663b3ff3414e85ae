#include "tests/support/tool_process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

namespace modelport {
namespace {

namespace fs = std::filesystem;

std::string StreamPath(const char* stream) { return fs::path(std::getenv("TEST_TMPDIR")) / stream; }

void RedirectTo(const std::string& path, int descriptor) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(file, descriptor);
  close(file);
}

ToolResult ResultOf(int status) {
  return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), ReadFile(StreamPath("out")),
          ReadFile(StreamPath("err"))};
}

// A program that tests/support/warm_start.cc holds before its main.
struct WarmProgram {
  int requests, results;  // Its standard input and output.
};

// Ends with this process, whose end closes the pipes. No other child gets them, so that they do not stay open.
WarmProgram StartWarmProgram(const std::string& path, const std::string& preloaded) {
  int requests[2], results[2];
  if (pipe2(requests, O_CLOEXEC) != 0 || pipe2(results, O_CLOEXEC) != 0) std::abort();
  const std::string program = DataPath(path);
  std::string libraries = DataPath("tests/support/libwarm_start.so");
  if (!preloaded.empty()) libraries += ":" + DataPath(preloaded);
  const char* const options = std::getenv("ASAN_OPTIONS");
  // The sanitizer's library is loaded after the preloaded ones.
  const std::string sanitizer = std::string(options == nullptr ? "" : options) + ":verify_asan_link_order=0";
  if (fork() == 0) {
    dup2(requests[0], STDIN_FILENO);
    dup2(results[1], STDOUT_FILENO);
    setenv("LD_PRELOAD", libraries.c_str(), 1);
    setenv("ASAN_OPTIONS", sanitizer.c_str(), 1);
    execl(program.c_str(), program.c_str(), nullptr);
    _exit(127);
  }
  close(requests[0]);
  close(results[1]);
  return {requests[1], results[0]};
}

// What tests/support/warm_start.cc reads for a run.
std::string WarmRequest(const std::vector<std::string>& arguments, const std::string& folder,
                        const std::map<std::string, std::string>& variables) {
  std::vector<std::string> texts = {folder, StreamPath("out"), StreamPath("err"), std::to_string(arguments.size())};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  for (const auto& [name, value] : variables) texts.push_back(name + "=" + value);
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable, name = text.substr(0, text.find('='));
    if (name != "BUILD_WORKING_DIRECTORY" && variables.count(name) == 0) texts.push_back(text);
  }
  std::string request;
  for (const std::string& text : texts) request.append(text.c_str(), text.size() + 1);
  const uint32_t size = request.size();
  return std::string(reinterpret_cast<const char*>(&size), sizeof(size)) + request;
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
  return ResultOf(status);
}

ToolResult RunTool(const std::string& name, const std::vector<std::string>& arguments, const std::string& folder,
                   const std::function<void()>& prepare) {
  return FinishTool(StartTool(name, arguments, folder, prepare));
}

ToolResult RunWarmProgram(const std::string& path, const std::vector<std::string>& arguments, const std::string& folder,
                          const std::map<std::string, std::string>& variables, const std::string& preloaded) {
  static auto* const started = new std::map<std::pair<std::string, std::string>, WarmProgram>();
  const auto [found, is_new] = started->try_emplace({path, preloaded});
  if (is_new) found->second = StartWarmProgram(path, preloaded);
  const std::string request = WarmRequest(arguments, folder, variables);
  int status = 0;
  if (write(found->second.requests, request.data(), request.size()) != static_cast<ssize_t>(request.size()) ||
      read(found->second.results, &status, sizeof(status)) != sizeof(status)) {
    return {127, "", path + ": cannot be run by tests/support/warm_start.cc"};
  }
  return ResultOf(status);
}

ToolResult RunWarmTool(const std::string& name, const std::vector<std::string>& arguments, const std::string& folder,
                       const std::map<std::string, std::string>& variables) {
  return RunWarmProgram("tools/" + name + "/" + name, arguments, folder, variables);
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

void LimitMemoryAndTime([[maybe_unused]] size_t size) {
  const rlimit seconds = {60, 60};
  setrlimit(RLIMIT_CPU, &seconds);
#ifndef __SANITIZE_ADDRESS__
  const rlim_t bytes = 2 * size + 256'000'000;
  const rlimit memory = {bytes, bytes};
  setrlimit(RLIMIT_DATA, &memory);
#endif
}

}  // namespace modelport
