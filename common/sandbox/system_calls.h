#ifndef MODELPORT_COMMON_SANDBOX_SYSTEM_CALLS_H_
#define MODELPORT_COMMON_SANDBOX_SYSTEM_CALLS_H_

#include "absl/status/status.h"

namespace modelport {

// From now on, allows this process only system calls that manage its own memory, tell the time, handle its own signals,
// end it, and read, write or close files that are open already. All other calls fail with EPERM.
//   Unimplemented   the system does not let a process filter its calls (seccomp)
absl::Status DenySystemCalls();

}  // namespace modelport

#endif  // MODELPORT_COMMON_SANDBOX_SYSTEM_CALLS_H_
