#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "common/io/signals.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

class HoldSignalsDeathTest : public testing::TestWithParam<int> {};

TEST_P(HoldSignalsDeathTest, TheSignalEndsTheProcessWhenTheHoldEnds) {
  const auto hold = [] {
    {
      const HoldSignals hold;
      kill(getpid(), GetParam());
      if (write(STDERR_FILENO, "held", 4) != 4) _exit(2);
    }
    _exit(3);
  };
  EXPECT_EXIT(hold(), testing::KilledBySignal(GetParam()), "held");
}

INSTANTIATE_TEST_SUITE_P(Signals, HoldSignalsDeathTest,
                         testing::Values(SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGPIPE, SIGXCPU, SIGPROF, 34));

// Sanitizers handle the other faults themselves.
#ifndef __SANITIZE_ADDRESS__
constexpr int kFaults[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
#else
constexpr int kFaults[] = {SIGABRT, SIGSYS, SIGTRAP};
#endif

class HoldFaultsDeathTest : public testing::TestWithParam<int> {};

TEST_P(HoldFaultsDeathTest, AFaultEndsTheProcessAtOnce) {
  const auto hold = [] {
    const HoldSignals hold;
    raise(GetParam());
    _exit(write(STDERR_FILENO, "held", 4) == 4 ? 3 : 2);
  };
  EXPECT_EXIT(hold(), testing::KilledBySignal(GetParam()), "^$");
}

INSTANTIATE_TEST_SUITE_P(Signals, HoldFaultsDeathTest, testing::ValuesIn(kFaults));

TEST(HoldSignalsTest, AnIgnoredSignalStaysIgnored) {
  const auto before = signal(SIGHUP, SIG_IGN);
  {
    const HoldSignals hold;
    raise(SIGHUP);
  }
  EXPECT_EQ(signal(SIGHUP, before), SIG_IGN);
}

int handled = 0;

TEST(HoldSignalsTest, AHandlerIsCalledAfterwardsAndIsRestored) {
  const auto handler = [](int) { ++handled; };
  const auto before = signal(SIGUSR1, handler);
  {
    const HoldSignals hold;
    // Signals of other threads wait, too.
    std::thread([] { raise(SIGUSR1); }).join();
    EXPECT_EQ(handled, 0);
  }
  raise(SIGUSR1);
  EXPECT_EQ(handled, 2);
  signal(SIGUSR1, before);
}

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
