#include "common/io/hold_signals.h"

#include <atomic>

namespace modelport {
namespace {

std::atomic<bool> came[NSIG];

void Remember(int signal_number) { came[signal_number] = true; }

bool IsIgnored(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

HoldSignals::HoldSignals() {
  struct sigaction hold = {};
  hold.sa_handler = Remember;
  hold.sa_flags = SA_RESTART;
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (!IsIgnored(before_[i])) sigaction(kSignals[i], &hold, nullptr);
  }
}

HoldSignals::~HoldSignals() {
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  for (const int signal_number : kSignals) {
    if (came[signal_number].exchange(false)) raise(signal_number);
  }
}

}  // namespace modelport
