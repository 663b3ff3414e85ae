#ifndef MODELPORT_COMMON_IO_ENDING_SIGNALS_H_
#define MODELPORT_COMMON_IO_ENDING_SIGNALS_H_

namespace modelport {

// Whether the default action of the signal `signal_number`, which is in 1..SIGRTMAX, ends the process. SIGKILL, which
// no process can handle, does not count.
bool EndsProcess(int signal_number);

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_ENDING_SIGNALS_H_
