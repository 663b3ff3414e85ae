// Runs code on untrusted bytes in a child process that can only compute, so that the code can do no harm.
#ifndef MODELPORT_COMMON_SANDBOX_RUN_CONFINED_H_
#define MODELPORT_COMMON_SANDBOX_RUN_CONFINED_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace modelport {

struct ConfinedLimits {
  int64_t memory;           // Bytes of address space in addition to what this process has now.
  absl::Duration cpu_time;  // Rounded up to whole seconds.
  absl::Duration wall_time;
};

// Runs `work` in a child process and returns what it returns. The child has a copy of this process's memory and nothing
// else: it cannot open, create or change files, reach the network, start threads or programs, or signal other
// processes; its standard streams are /dev/null. Call this before the process starts threads: the child has a copy of
// the calling thread only.
//
// Sanitizers reserve address space for themselves, so there is no limit of memory under a sanitizer.
//   ResourceExhausted   `work` needs more memory or time than `limits` allow, or returns more than 64 MiB
//   Aborted             "the confined process crashed (signal 11, Segmentation fault)"
//   Unimplemented       this system cannot confine a process
//   others              as `work` returns
absl::StatusOr<std::string> RunConfined(const ConfinedLimits& limits,
                                        absl::FunctionRef<absl::StatusOr<std::string>()> work);

}  // namespace modelport

#endif  // MODELPORT_COMMON_SANDBOX_RUN_CONFINED_H_
