#include "common/io/fatal_signal.h"

#include <unistd.h>

#include <atomic>

#include "common/io/hold_signals.h"

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

}  // namespace

void AddLastStep(LastStep step) {
  for (std::atomic<LastStep>& place : steps) {
    LastStep none = nullptr;
    if (place.compare_exchange_strong(none, step)) break;
  }
  static const bool installed = InstallHandlers();
  static_cast<void>(installed);
}

}  // namespace modelport
