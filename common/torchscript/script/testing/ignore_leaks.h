#ifndef MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_TESTING_IGNORE_LEAKS_H_
#define MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_TESTING_IGNORE_LEAKS_H_

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace modelport {

// While one lives, --config=asan does not report what this thread allocates and never frees: a call of LibTorch that
// stops at an integer division without result (torch_status.h) keeps what it holds.
#ifdef __SANITIZE_ADDRESS__
using IgnoreLeaks = __lsan::ScopedDisabler;
#else
struct IgnoreLeaks {};
#endif

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_TESTING_IGNORE_LEAKS_H_
