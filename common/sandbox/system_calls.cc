#include "common/sandbox/system_calls.h"

#include <seccomp.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <memory>

#include "absl/strings/str_cat.h"

namespace modelport {
namespace {

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

}  // namespace

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

}  // namespace modelport
