#ifndef MODELPORT_COMMON_IO_HOLD_SIGNALS_H_
#define MODELPORT_COMMON_IO_HOLD_SIGNALS_H_

#include <signal.h>

#include <utility>
#include <vector>

namespace modelport {

// Delays the signals that would end the process (SIGINT, SIGTERM and the like), in all threads, while this object
// lives. The destructor raises those that arrived. SIGKILL and the signals of a fault in the program, such as SIGSEGV,
// are not delayed. Use it for a few quick steps that must all run. Only one such object may live at a time.
class HoldSignals {
 public:
  HoldSignals();
  ~HoldSignals();
  HoldSignals(const HoldSignals&) = delete;
  HoldSignals& operator=(const HoldSignals&) = delete;

 private:
  std::vector<std::pair<int, struct sigaction>> before_;  // The delayed signals and their actions before.
};

// Whether the default action of the signal `signal_number`, which is in 1..SIGRTMAX, ends the process. SIGKILL, which
// no process can handle, does not count.
bool EndsProcess(int signal_number);

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_HOLD_SIGNALS_H_
