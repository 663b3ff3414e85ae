#ifndef MODELPORT_COMMON_IO_HOLD_SIGNALS_H_
#define MODELPORT_COMMON_IO_HOLD_SIGNALS_H_

#include <signal.h>

#include <utility>
#include <vector>

namespace modelport {

// While this object lives, signals that would end the process (SIGINT, SIGTERM and the like) wait, in all threads;
// those that came are raised when it dies. SIGKILL and those of a fault in the program itself do not wait. For a few
// quick steps that belong together; one such object at a time in a process.
class HoldSignals {
 public:
  HoldSignals();
  ~HoldSignals();
  HoldSignals(const HoldSignals&) = delete;
  HoldSignals& operator=(const HoldSignals&) = delete;

 private:
  std::vector<std::pair<int, struct sigaction>> before_;  // Of the signals that wait.
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_HOLD_SIGNALS_H_
