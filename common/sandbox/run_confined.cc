#include "common/sandbox/run_confined.h"

#include <fcntl.h>
#include <poll.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <memory>
#include <new>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "common/io/file_descriptor.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

using Work = absl::FunctionRef<absl::StatusOr<std::string>()>;

// All other calls are denied, such as those that open, create, rename or remove files, make sockets, threads or
// processes, run programs, signal or trace other processes, or change limits.
constexpr int kAllowed[] = {
    // Memory.
    SCMP_SYS(brk), SCMP_SYS(madvise), SCMP_SYS(mmap), SCMP_SYS(mprotect), SCMP_SYS(mremap), SCMP_SYS(munmap),
    // Time, and facts about the machine.
    SCMP_SYS(clock_getres), SCMP_SYS(clock_gettime), SCMP_SYS(clock_nanosleep), SCMP_SYS(getcpu), SCMP_SYS(getpid),
    SCMP_SYS(getrandom), SCMP_SYS(getrusage), SCMP_SYS(gettid), SCMP_SYS(gettimeofday), SCMP_SYS(nanosleep),
    SCMP_SYS(sched_getaffinity), SCMP_SYS(sched_yield), SCMP_SYS(sysinfo), SCMP_SYS(time), SCMP_SYS(uname),
    // Its own signals and its end.
    SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(futex), SCMP_SYS(restart_syscall), SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack),
    // Files that are open already, and pipes, with which sanitizers test which memory is readable.
    SCMP_SYS(close), SCMP_SYS(fstat), SCMP_SYS(lseek), SCMP_SYS(pipe2), SCMP_SYS(read), SCMP_SYS(write),
    SCMP_SYS(writev)};

// `error` is negative, as libseccomp returns it.
absl::Status SeccompError(int error) {
  return absl::UnimplementedError(
      absl::StrCat("cannot confine a process on this system (seccomp: ", std::strerror(-error),
                   ")\n  run it where the kernel and the container allow seccomp filters"));
}

// From now on, allows this process only system calls that manage its own memory, tell the time, handle its own signals,
// end it, and read, write or close files that are open already. All other calls fail with EPERM.
//   Unimplemented   the system does not let a process filter its calls (seccomp)
absl::Status DenySystemCalls() {
  const std::unique_ptr<void, void (*)(void*)> filter(seccomp_init(SCMP_ACT_ERRNO(EPERM)), seccomp_release);
  if (filter == nullptr) return SeccompError(-ENOMEM);
  int error = 0;
  for (const int call : kAllowed) {
    if (error == 0) error = seccomp_rule_add(filter.get(), SCMP_ACT_ALLOW, call, 0);
  }
  // abort() sends a signal to its own process.
  const scmp_arg_cmp to_itself = SCMP_A0_64(SCMP_CMP_EQ, static_cast<scmp_datum_t>(getpid()));
  if (error == 0) error = seccomp_rule_add(filter.get(), SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, to_itself);
  if (error == 0) error = seccomp_load(filter.get());
  return error == 0 ? absl::OkStatus() : SeccompError(error);
}

constexpr size_t kMaxResult = size_t{64} << 20;
constexpr rlim_t kMaxStack = rlim_t{64} << 20;
// The child's exit status when an allocation failed, since it has no memory for a message then.
constexpr int kOutOfMemory = 100;
// The child's end of the pipe to its parent.
constexpr int kResultDescriptor = 3;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimitsMemory = false;
#else
constexpr bool kLimitsMemory = true;
#endif

absl::Status SystemError(absl::string_view what) {
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot confine a process: ", what));
}

int64_t Seconds(absl::Duration duration) { return absl::ToInt64Seconds(absl::Ceil(duration, absl::Seconds(1))); }

// The code of the child.

void RestoreSignals() {
  for (int signal = 1; signal < NSIG; ++signal) std::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

absl::Status CloseFiles(int result) {
  // `result` itself may be a standard stream or kResultDescriptor, so it is copied to a higher number first.
  const int kept = fcntl(result, F_DUPFD, kResultDescriptor + 1);
  if (kept < 0 || dup2(kept, kResultDescriptor) < 0) return SystemError("dup2");
  const int null = open("/dev/null", O_RDWR);
  if (null < 0) return SystemError("/dev/null");
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (dup2(null, stream) < 0) return SystemError("dup2");
  }
  closefrom(kResultDescriptor + 1);
  return absl::OkStatus();
}

absl::Status SetLimit(__rlimit_resource_t resource, rlim_t soft, rlim_t hard) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0) return SystemError("getrlimit");
  limit.rlim_cur = std::min(limit.rlim_cur, soft);
  limit.rlim_max = std::min(limit.rlim_max, hard);
  return setrlimit(resource, &limit) == 0 ? absl::OkStatus() : SystemError("setrlimit");
}

absl::StatusOr<rlim_t> AddressSpace() {
  rlim_t pages = 0;
  if (!(std::ifstream("/proc/self/statm") >> pages)) {
    return absl::UnimplementedError("cannot confine a process: cannot read /proc/self/statm\n  mount /proc");
  }
  return pages * sysconf(_SC_PAGESIZE);
}

absl::Status SetLimits(const ConfinedLimits& limits) {
  // A crash must neither write a core file nor pass one to a program of the system.
  if (prctl(PR_SET_DUMPABLE, 0) != 0) return SystemError("prctl");
  RETURN_IF_ERROR(SetLimit(RLIMIT_CORE, 0, 0));
  RETURN_IF_ERROR(SetLimit(RLIMIT_FSIZE, 0, 0));
  RETURN_IF_ERROR(SetLimit(RLIMIT_STACK, kMaxStack, kMaxStack));
  // The soft limit sends SIGXCPU, which code can catch; the hard limit sends SIGKILL.
  const rlim_t seconds = Seconds(limits.cpu_time);
  RETURN_IF_ERROR(SetLimit(RLIMIT_CPU, seconds, seconds + 1));
  if (!kLimitsMemory) return absl::OkStatus();
  ASSIGN_OR_RETURN(const rlim_t used, AddressSpace());
  return SetLimit(RLIMIT_AS, used + limits.memory, used + limits.memory);
}

absl::StatusOr<std::string> ConfineAndRun(const ConfinedLimits& limits, pid_t parent, int result, Work work) {
  RETURN_IF_ERROR(CloseFiles(result));
  // The child ends with its parent, which may have ended before this call.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return SystemError("prctl");
  if (getppid() != parent) _exit(1);
  RestoreSignals();
  std::set_new_handler([] { _exit(kOutOfMemory); });
  RETURN_IF_ERROR(SetLimits(limits));
  RETURN_IF_ERROR(DenySystemCalls());
  return work();
}

void WriteAll(int descriptor, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) _exit(1);
    bytes.remove_prefix(written);
  }
}

// Runs `work` and sends its outcome to the parent: one byte with the status code, then the result or the message. An
// exception ends the process.
[[noreturn]] void RunChild(const ConfinedLimits& limits, pid_t parent, int result, Work work) noexcept {
  const absl::StatusOr<std::string> outcome = ConfineAndRun(limits, parent, result, work);
  const char code = static_cast<char>(outcome.status().code());
  WriteAll(kResultDescriptor, absl::string_view(&code, 1));
  WriteAll(kResultDescriptor, outcome.ok() ? absl::string_view(*outcome) : outcome.status().message());
  _exit(0);
}

// The code of the parent.

// A child process. The destructor kills it if it still runs.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ < 0) return;
    kill(pid_, SIGKILL);
    Wait().IgnoreError();
  }

  // Waits for the child to end and returns its wait status.
  absl::StatusOr<int> Wait() {
    int status = 0;
    pid_t ended;
    while ((ended = waitpid(pid_, &status, 0)) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    if (ended < 0) return SystemError("waitpid");
    return status;
  }

 private:
  pid_t pid_;
};

absl::Status OutOfTime(absl::Duration limit) {
  return absl::ResourceExhaustedError(absl::StrCat("the confined process takes more than ", Seconds(limit), " s"));
}

// The bytes of `descriptor` up to its end.
absl::StatusOr<std::string> ReadResult(int descriptor, absl::Duration wall_time) {
  const absl::Time deadline = absl::Now() + wall_time;
  std::string bytes;
  char buffer[1 << 16];
  while (bytes.size() <= kMaxResult + 1) {
    pollfd ready = {descriptor, POLLIN, 0};
    const int64_t rest = absl::ToInt64Milliseconds(absl::Ceil(deadline - absl::Now(), absl::Milliseconds(1)));
    const int count = poll(&ready, 1, static_cast<int>(std::clamp<int64_t>(rest, 0, 1 << 30)));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError("poll");
    if (count == 0) return OutOfTime(wall_time);
    const ssize_t size = read(descriptor, buffer, sizeof(buffer));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return SystemError("read");
    if (size == 0) return bytes;
    bytes.append(buffer, size);
  }
  return absl::ResourceExhaustedError(
      absl::StrCat("the confined process returns more than ", kMaxResult >> 20, " MiB"));
}

// The error of a child that ended with the wait status `status`; OK if it ended normally.
absl::Status CheckEnd(int status, const ConfinedLimits& limits) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return absl::OkStatus();
  if (WIFEXITED(status) && WEXITSTATUS(status) == kOutOfMemory) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the confined process needs more than ", limits.memory >> 20, " MiB of memory"));
  }
  if (WIFEXITED(status))
    return absl::AbortedError(absl::StrCat("the confined process crashed (exit status ", WEXITSTATUS(status), ")"));
  const int signal = WTERMSIG(status);
  if (signal == SIGXCPU) return OutOfTime(limits.cpu_time);
  if (signal == SIGKILL) {
    return absl::ResourceExhaustedError(
        "the confined process was killed; the system does that when memory or time runs out");
  }
  return absl::AbortedError(
      absl::StrCat("the confined process crashed (signal ", signal, ", ", strsignal(signal), ")"));
}

absl::StatusOr<std::string> Decode(const std::string& bytes) {
  if (bytes.empty()) return absl::AbortedError("the confined process ended without a result");
  const auto code = static_cast<absl::StatusCode>(bytes[0]);
  std::string text = bytes.substr(1);
  if (code == absl::StatusCode::kOk) return text;
  return absl::Status(code, text);
}

}  // namespace

absl::StatusOr<std::string> RunConfined(const ConfinedLimits& limits, Work work) {
  // A process that ignores SIGCHLD cannot learn how a child ended.
  std::signal(SIGCHLD, SIG_DFL);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return SystemError("pipe");
  const FileDescriptor result(ends[0]);
  FileDescriptor child_end(ends[1]);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return SystemError("fork");
  if (pid == 0) RunChild(limits, parent, child_end.number(), work);
  Child child(pid);
  child_end = FileDescriptor();
  ASSIGN_OR_RETURN(const std::string bytes, ReadResult(result.number(), limits.wall_time));
  ASSIGN_OR_RETURN(const int status, child.Wait());
  RETURN_IF_ERROR(CheckEnd(status, limits));
  return Decode(bytes);
}

}  // namespace modelport
