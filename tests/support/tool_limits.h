#ifndef MODELPORT_TESTS_SUPPORT_TOOL_LIMITS_H_
#define MODELPORT_TESTS_SUPPORT_TOOL_LIMITS_H_

#include <cstddef>

namespace modelport {

// Holds this process to what a tool may take for files of `size` bytes together: private memory of twice their size
// plus 256 MB, and a minute of processor time. Linear work takes a few seconds, so the minute catches quadratic work.
// AddressSanitizer's own memory is private, too; under it there is no limit of memory.
void LimitMemoryAndTime(size_t size);

}  // namespace modelport

#endif  // MODELPORT_TESTS_SUPPORT_TOOL_LIMITS_H_
