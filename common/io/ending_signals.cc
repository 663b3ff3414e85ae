#include "common/io/ending_signals.h"

#include <signal.h>

#include <algorithm>
#include <iterator>

namespace modelport {

bool EndsProcess(int signal_number) {
  constexpr int kOthers[] = {SIGCHLD, SIGCONT, SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH};
  return std::find(std::begin(kOthers), std::end(kOthers), signal_number) == std::end(kOthers);
}

}  // namespace modelport
