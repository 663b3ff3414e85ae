#ifndef MODELPORT_COMMON_IO_FATAL_SIGNAL_H_
#define MODELPORT_COMMON_IO_FATAL_SIGNAL_H_

#include <signal.h>

namespace modelport {

// Something to be done when a signal ends the process, on whatever thread the signal arrives. A step may use what a
// signal handler may use, which excludes locks and the heap. It returns true if it has told the user what happened: the
// process then exits with status 1, and otherwise by the signal.
using LastStep = bool (*)(int signal_number, const siginfo_t& info);

// Adds `step`, of at most four. From the first call on, each signal that by default ends the process runs the steps
// before it does, apart from SIGKILL. A signal that is then ignored, as under nohup, or handled otherwise stays so.
void AddLastStep(LastStep step);

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_FATAL_SIGNAL_H_
