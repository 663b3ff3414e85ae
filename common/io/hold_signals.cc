#include "common/io/hold_signals.h"

#include <algorithm>
#include <atomic>
#include <iterator>

namespace modelport {
namespace {

// Those that cannot wait, and those that do not end a process by default.
constexpr int kOtherSignals[] = {SIGABRT, SIGBUS, SIGCHLD, SIGCONT, SIGFPE,  SIGILL,  SIGKILL, SIGSEGV,
                                 SIGSTOP, SIGSYS, SIGTRAP, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG,  SIGWINCH};

std::atomic<bool> came[NSIG];

void Remember(int signal_number) { came[signal_number] = true; }

bool IsOther(int signal_number) {
  return std::find(std::begin(kOtherSignals), std::end(kOtherSignals), signal_number) != std::end(kOtherSignals);
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
    if (IsOther(i) || sigaction(i, nullptr, &before) != 0 || IsIgnored(before)) continue;
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

}  // namespace modelport
