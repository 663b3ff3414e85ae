#ifndef MODELPORT_COMMON_SANDBOX_SYSTEM_CALLS_H_
#define MODELPORT_COMMON_SANDBOX_SYSTEM_CALLS_H_

#include "absl/status/status.h"

namespace modelport {

// Denies this process, for the rest of its life, every system call but those that manage its own memory, tell the time,
// handle its own signals, end it, and read, write or close files that are open already. A denied call fails with EPERM.
//   Unimplemented   the system does not let a process filter its calls (seccomp)
absl::Status DenySystemCalls();

}  // namespace modelport

#endif  // MODELPORT_COMMON_SANDBOX_SYSTEM_CALLS_H_
