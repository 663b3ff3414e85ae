#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "common/io/signals.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

int report[2];  // A pipe that the steps of a child process write to.

bool Report(int signal_number, const siginfo_t&) {
  const char number = static_cast<char>(signal_number);
  return write(report[1], &number, 1) != 1;
}

bool Tell(int, const siginfo_t&) { return true; }

// The wait status of a process that runs `body`, and what its steps reported.
struct Outcome {
  int status = 0;
  int reported = 0;
};

Outcome RunInChild(const std::function<void()>& body) {
  EXPECT_EQ(pipe(report), 0);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    body();
    _exit(0);
  }
  close(report[1]);
  Outcome outcome;
  char number = 0;
  while (read(report[0], &number, 1) == 1) outcome.reported = number;
  close(report[0]);
  waitpid(child, &outcome.status, 0);
  return outcome;
}

// Sanitizers handle the other faults themselves.
#ifndef __SANITIZE_ADDRESS__
constexpr int kFaults[] = {SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
#else
constexpr int kFaults[] = {SIGABRT};
#endif

void ExpectStepsBeforeTheEndBy(int signal_number) {
  const Outcome outcome = RunInChild([=] {
    AddLastStep(Report);
    raise(signal_number);
  });
  EXPECT_EQ(outcome.reported, signal_number);
  EXPECT_TRUE(WIFSIGNALED(outcome.status) && WTERMSIG(outcome.status) == signal_number) << outcome.status;
}

TEST(FatalSignalTest, StepsRunAndTheProcessEndsByItsSignal) {
  for (const int signal_number : {SIGHUP, SIGINT, SIGQUIT, SIGTRAP, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM,
                                  SIGSTKFLT, SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSYS}) {
    ExpectStepsBeforeTheEndBy(signal_number);
  }
  ExpectStepsBeforeTheEndBy(SIGRTMIN);
  ExpectStepsBeforeTheEndBy(SIGRTMAX);
  for (const int signal_number : kFaults) ExpectStepsBeforeTheEndBy(signal_number);
}

TEST(FatalSignalTest, AnyThreadMayGetTheSignal) {
  const Outcome outcome = RunInChild([] {
    AddLastStep(Report);
    std::thread([] { raise(SIGTERM); }).join();
  });
  EXPECT_EQ(outcome.reported, SIGTERM);
  EXPECT_TRUE(WIFSIGNALED(outcome.status));
}

TEST(FatalSignalTest, ALimitOfProcessorTimeRunsTheStepsToo) {
  const Outcome outcome = RunInChild([] {
    AddLastStep(Report);
    const rlimit one_second = {1, 30};
    setrlimit(RLIMIT_CPU, &one_second);
    while (true) {
    }
  });
  EXPECT_EQ(outcome.reported, SIGXCPU);
}

#ifndef __SANITIZE_ADDRESS__
int Overflow(int levels) {
  volatile int frame[1024] = {levels};
  return levels == 0 ? 0 : Overflow(frame[0] - 1) + frame[1];
}

TEST(FatalSignalTest, AnOverflowOfTheStackRunsTheStepsToo) {
  const Outcome outcome = RunInChild([] {
    AddLastStep(Report);
    Overflow(1 << 30);
  });
  EXPECT_EQ(outcome.reported, SIGSEGV);
}
#endif

TEST(FatalSignalTest, AStepThatToldTheUserMakesTheExitStatusOne) {
  const Outcome outcome = RunInChild([] {
    AddLastStep(Tell);
    AddLastStep(Report);
    raise(SIGTERM);
  });
  EXPECT_EQ(outcome.reported, SIGTERM);
  EXPECT_TRUE(WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == 1) << outcome.status;
}

TEST(FatalSignalTest, OtherSignalsAreLeftAlone) {
  const Outcome outcome = RunInChild([] {
    signal(SIGHUP, SIG_IGN);
    AddLastStep(Report);
    for (const int signal_number : {SIGHUP, SIGCHLD, SIGCONT, SIGURG, SIGWINCH}) raise(signal_number);
  });
  EXPECT_EQ(outcome.reported, 0);
  EXPECT_TRUE(WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == 0) << outcome.status;
}

}  // namespace
}  // namespace modelport
