#include "common/io/ending_signals.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gtest/gtest.h"

namespace modelport {
namespace {

// Whether a child process that raises the signal, with its default action, ends by it.
bool EndsAChild(int signal_number) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, WUNTRACED);
  if (WIFSTOPPED(status)) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  return WIFSIGNALED(status) && WTERMSIG(status) == signal_number;
}

TEST(EndingSignalsTest, AreThoseThatEndAChildProcess) {
  for (int i = 1; i <= SIGRTMAX; ++i) {
    struct sigaction action;
    const bool is_reserved_by_libc = sigaction(i, nullptr, &action) != 0;
    if (i != SIGKILL && !is_reserved_by_libc) {
      EXPECT_EQ(EndsProcess(i), EndsAChild(i)) << "signal " << i;
    }
  }
}

TEST(EndingSignalsTest, SigkillDoesNotCount) { EXPECT_FALSE(EndsProcess(SIGKILL)); }

}  // namespace
}  // namespace modelport
