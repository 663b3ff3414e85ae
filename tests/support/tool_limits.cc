#include "tests/support/tool_limits.h"

#include <sys/resource.h>

namespace modelport {

void LimitMemoryAndTime(size_t size) {
  const rlimit seconds = {60, 60};
  setrlimit(RLIMIT_CPU, &seconds);
#ifndef __SANITIZE_ADDRESS__
  const rlim_t bytes = 2 * size + 256'000'000;
  const rlimit memory = {bytes, bytes};
  setrlimit(RLIMIT_DATA, &memory);
#endif
}

}  // namespace modelport
