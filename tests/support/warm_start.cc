// A library for LD_PRELOAD that holds a program before its main and forks it there for each run that is asked for, so
// that all runs share one start: loading and initialising LibTorch takes longer than most of what tests run. The
// program ends when its standard input does. For each run it reads
//   the size of what follows, as 4 bytes
//   texts, each with a null byte at its end: the folder, the files that get stdout and stderr, the number of arguments,
//   the arguments, and the variables of the environment
// and then writes the 4 bytes of the run's status, as waitpid gives it, to its standard output.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace {

using Main = int (*)(int, char**, char**);

Main program_main;

bool ReadAll(void* bytes, size_t size) {
  for (char* at = static_cast<char*>(bytes); size > 0;) {
    const ssize_t count = read(STDIN_FILENO, at, size);
    if (count <= 0) return false;
    at += count;
    size -= count;
  }
  return true;
}

void Redirect(int descriptor, const char* path, int flags) {
  const int file = open(path, flags, 0600);
  dup2(file, descriptor);
  close(file);
}

// The texts from `first` to before `end`, and a null.
std::vector<char*> Array(const std::vector<char*>& texts, size_t first, size_t end) {
  std::vector<char*> array(texts.begin() + first, texts.begin() + end);
  array.push_back(nullptr);
  return array;
}

int Run(const std::vector<char*>& texts, char* program) {
  Redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
  Redirect(STDOUT_FILENO, texts[1], O_WRONLY | O_CREAT | O_TRUNC);
  Redirect(STDERR_FILENO, texts[2], O_WRONLY | O_CREAT | O_TRUNC);
  if (chdir(texts[0]) != 0) _exit(126);
  const size_t end = 4 + atoi(texts[3]);
  std::vector<char*> arguments = Array(texts, 4, end), variables = Array(texts, end, texts.size());
  arguments.insert(arguments.begin(), program);
  environ = variables.data();
  return program_main(static_cast<int>(arguments.size()) - 1, arguments.data(), environ);
}

// Takes the place of main.
int Serve(int, char** argv, char**) {
  for (uint32_t size = 0; ReadAll(&size, sizeof(size));) {
    std::string request(size, '\0');
    if (!ReadAll(request.data(), size)) break;
    std::vector<char*> texts;
    for (size_t at = 0; at < size; at += strlen(&request[at]) + 1) texts.push_back(&request[at]);
    const pid_t pid = fork();
    if (pid == 0) return Run(texts, argv[0]);
    int status = 0;
    waitpid(pid, &status, 0);
    if (write(STDOUT_FILENO, &status, sizeof(status)) != sizeof(status)) break;
  }
  _exit(0);
}

}  // namespace

// The C library's function that calls main.
extern "C" int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(),
                                 void (*loader_fini)(), void* stack_end) {
  program_main = main;
  const auto start = reinterpret_cast<decltype(&__libc_start_main)>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(Serve, argc, argv, init, fini, loader_fini, stack_end);
}
