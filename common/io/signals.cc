#include "common/io/signals.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <iterator>

namespace modelport {
namespace {

constexpr int kMaxSteps = 4;

std::atomic<LastStep> steps[kMaxSteps];

// Lets one thread go on. It stops every other one, whose signal would end the process before the steps are done.
void WaitForOtherThread() {
  static std::atomic<pid_t> owner;
  pid_t nobody = 0;
  const pid_t self = gettid();
  if (owner.compare_exchange_strong(nobody, self) || nobody == self) return;
  while (true) pause();
}

void RunSteps(int signal_number, siginfo_t* info, void*) {
  WaitForOtherThread();
  bool told = false;
  for (const std::atomic<LastStep>& step : steps) {
    if (const LastStep run = step) told |= run(signal_number, *info);
  }
  if (told) _exit(1);
  // A sandbox may deny these calls; the process must end in any case.
  if (signal(signal_number, SIG_DFL) == SIG_ERR || raise(signal_number) != 0) _exit(128 + signal_number);
}

void InstallHandler(int signal_number) {
  struct sigaction action;
  if (sigaction(signal_number, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) return;
  action = {};
  action.sa_sigaction = RunSteps;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(signal_number, &action, nullptr);
}

// Gives the calling thread, usually the main one, a second stack: after a stack overflow the first has no room for the
// handler.
void InstallStack() {
  alignas(16) static char memory[64 << 10];
  stack_t stack = {};
  if (sigaltstack(nullptr, &stack) != 0 || (stack.ss_flags & SS_DISABLE) == 0) return;
  stack = {};
  stack.ss_sp = memory;
  stack.ss_size = sizeof(memory);
  sigaltstack(&stack, nullptr);
}

bool InstallHandlers() {
  InstallStack();
  for (int i = 1; i <= SIGRTMAX; ++i) {
    if (EndsProcess(i)) InstallHandler(i);
  }
  return true;
}

// The signals of a fault in the program, which cannot continue after one.
constexpr int kFaults[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};

std::atomic<bool> came[NSIG];

void Remember(int signal_number) { came[signal_number] = true; }

bool IsDelayed(int signal_number) {
  return EndsProcess(signal_number) &&
         std::find(std::begin(kFaults), std::end(kFaults), signal_number) == std::end(kFaults);
}

bool IsIgnored(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

void AddLastStep(LastStep step) {
  for (std::atomic<LastStep>& place : steps) {
    LastStep none = nullptr;
    if (place.compare_exchange_strong(none, step)) break;
  }
  static const bool installed = InstallHandlers();
  static_cast<void>(installed);
}

HoldSignals::HoldSignals() {
  struct sigaction hold = {}, before;
  hold.sa_handler = Remember;
  hold.sa_flags = SA_RESTART;
  for (int i = 1; i < NSIG; ++i) {
    if (!IsDelayed(i) || sigaction(i, nullptr, &before) != 0 || IsIgnored(before)) continue;
    before_.emplace_back(i, before);
    sigaction(i, &hold, nullptr);
  }
}

HoldSignals::~HoldSignals() {
  for (const auto& [signal_number, action] : before_) sigaction(signal_number, &action, nullptr);
  for (const auto& [signal_number, action] : before_) {
    if (came[signal_number].exchange(false)) raise(signal_number);
  }
}

bool EndsProcess(int signal_number) {
  constexpr int kOthers[] = {SIGCHLD, SIGCONT, SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH};
  return std::find(std::begin(kOthers), std::end(kOthers), signal_number) == std::end(kOthers);
}

}  // namespace modelport
