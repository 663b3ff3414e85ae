#ifndef MODELPORT_COMMON_IO_HOLD_SIGNALS_H_
#define MODELPORT_COMMON_IO_HOLD_SIGNALS_H_

#include <signal.h>

#include <array>
#include <cstddef>

namespace modelport {

// While this object lives, the signals with which people and systems end a process (SIGINT, SIGTERM and the like) wait,
// in all threads; those that came are raised when it dies. For a few quick steps that belong together; one such object
// at a time in a process.
class HoldSignals {
 public:
  HoldSignals();
  ~HoldSignals();
  HoldSignals(const HoldSignals&) = delete;
  HoldSignals& operator=(const HoldSignals&) = delete;

  static constexpr std::array kSignals = {SIGHUP, SIGINT, SIGQUIT, SIGALRM, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU};

 private:
  std::array<struct sigaction, kSignals.size()> before_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_HOLD_SIGNALS_H_
