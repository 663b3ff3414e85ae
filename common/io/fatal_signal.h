#ifndef MODELPORT_COMMON_IO_FATAL_SIGNAL_H_
#define MODELPORT_COMMON_IO_FATAL_SIGNAL_H_

#include <signal.h>

namespace modelport {

// A function that a signal handler calls before a signal ends the process, on any thread. It must be async-signal-safe,
// so it may use neither locks nor the heap. It returns true if it has told the user what happened. If a step returns
// true, the process exits with status 1; otherwise the signal ends it.
using LastStep = bool (*)(int signal_number, const siginfo_t& info);

// Adds `step`; steps after the fourth are ignored. From the first call on, each signal that ends a process
// (ending_signals.h) runs the steps first. A signal that the process ignores or handles at the first call, such as
// SIGHUP under nohup, keeps its action.
void AddLastStep(LastStep step);

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_FATAL_SIGNAL_H_
