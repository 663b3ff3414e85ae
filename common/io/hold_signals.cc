#include "common/io/hold_signals.h"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <iterator>

namespace modelport {
namespace {

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
