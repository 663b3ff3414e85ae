// A library for LD_PRELOAD that makes a chosen system call of a program fail, or kills the program at it. It covers
// calls that change the file system, and those that map files. Environment variables control it:
//   FAULT_AT=N       the N-th of the calls below, counted from 1; without it no call fails
//   FAULT_KIND=fail  the call is not made and gives an error
//              last  that call and all later ones are not made and give an error
//              lie   the call is made and gives an error all the same
//              kill  the process is killed before the call
//              term  the process gets SIGTERM before the call, which is made
//   FAULT_ERROR=N    the number of the error; by default that of EIO
//   FAULT_MARK=FILE  a file that is created when the call is reached
//   FAULT_LOG=FILE   a file that gets a line with the name of each call that counts
//   FAULT_CALLS=...  names of the calls that count, with commas; by default all of them. Writes to the standard streams
//                    never count.
//   NO_TMPFILE=1     the file system has no unnamed files
//   NO_LINK=1        the file system has no hard links
//   FAKE_USER=UID    the result of geteuid()
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>

namespace {

std::atomic<int> calls{0};

bool Is(const char* variable, const char* value) {
  const char* const has = getenv(variable);
  return has != nullptr && strcmp(has, value) == 0;
}

bool Counts(const char* call) {
  const char* const names = getenv("FAULT_CALLS");
  if (names == nullptr) return true;
  const char* const found = strstr(names, call);
  const size_t size = strlen(call);
  return found != nullptr && (found == names || found[-1] == ',') && (found[size] == ',' || found[size] == '\0');
}

// Appends a line to the file `path`, with calls that do not count.
void AppendLine(const char* path, const char* line) {
  const int file = syscall(SYS_open, path, O_CREAT | O_WRONLY | O_APPEND, 0666);
  syscall(SYS_write, file, line, strlen(line));
  syscall(SYS_write, file, "\n", 1);
  syscall(SYS_close, file);
}

// Whether `call`, which is about to be made, must fail. Does not return if the process must be killed.
bool IsDue(const char* call) {
  if (!Counts(call)) return false;
  if (const char* const log = getenv("FAULT_LOG")) AppendLine(log, call);
  const char* const at = getenv("FAULT_AT");
  if (at == nullptr) return false;
  const int number = ++calls, due = atoi(at);
  if (number != due && !(number > due && Is("FAULT_KIND", "last"))) return false;
  if (const char* const mark = getenv("FAULT_MARK")) {
    syscall(SYS_close, syscall(SYS_open, mark, O_CREAT | O_WRONLY, 0666));
  }
  if (Is("FAULT_KIND", "kill")) syscall(SYS_kill, getpid(), SIGKILL);
  if (!Is("FAULT_KIND", "term")) return true;
  syscall(SYS_kill, getpid(), SIGTERM);
  return false;
}

// Makes the call `name` of the C library.
template <typename Function, typename... Arguments>
auto Call(Function*, const char* name, Arguments... arguments) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name))(arguments...);
}

// Makes the call `name`, whose type is that of `function`, unless it must fail.
template <typename Function, typename... Arguments>
auto Faulty(Function* function, const char* name, Arguments... arguments) {
  using Result = decltype(function(arguments...));
  const bool due = IsDue(name);
  Result result = Result(-1);
  if (!due || Is("FAULT_KIND", "lie")) result = Call(function, name, arguments...);
  if (!due) return result;
  const char* const error = getenv("FAULT_ERROR");
  errno = error != nullptr ? atoi(error) : EIO;
  return Result(-1);
}

}  // namespace

extern "C" {

int rename(const char* from, const char* to) noexcept { return Faulty(&rename, "rename", from, to); }
int unlink(const char* path) noexcept { return Faulty(&unlink, "unlink", path); }
int fsync(int file) { return Faulty(&fsync, "fsync", file); }
int ftruncate(int file, off_t size) noexcept { return Faulty(&ftruncate, "ftruncate", file, size); }
int flock(int file, int operation) noexcept { return Faulty(&flock, "flock", file, operation); }
int mkdir(const char* path, mode_t mode) noexcept { return Faulty(&mkdir, "mkdir", path, mode); }

int link(const char* from, const char* to) noexcept {
  if (getenv("NO_LINK") == nullptr) return Faulty(&link, "link", from, to);
  errno = EPERM;
  return -1;
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  return Faulty(&linkat, "linkat", from_folder, from, to_folder, to, flags);
}

ssize_t write(int file, const void* bytes, size_t size) {
  if (file <= STDERR_FILENO) return Call(&write, "write", file, bytes, size);
  return Faulty(&write, "write", file, bytes, size);
}

void* mmap(void* address, size_t size, int protection, int flags, int file, off_t offset) noexcept {
  if (file < 0) return Call(&mmap, "mmap", address, size, protection, flags, file, offset);
  return Faulty(&mmap, "mmap", address, size, protection, flags, file, offset);
}

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const bool is_unnamed = (flags & O_TMPFILE) == O_TMPFILE;
  const mode_t mode = is_unnamed || (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if (!is_unnamed || getenv("NO_TMPFILE") == nullptr) {
    return Call(static_cast<int (*)(const char*, int, ...)>(&open), "open", path, flags, mode);
  }
  errno = EOPNOTSUPP;
  return -1;
}

uid_t geteuid() noexcept {
  const char* const user = getenv("FAKE_USER");
  return user != nullptr ? atoi(user) : syscall(SYS_geteuid);
}

}  // extern "C"
