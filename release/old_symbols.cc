// Debian 12's glibc and libstdc++ have versions of these functions that the systems on which modelport runs lack. The
// linker takes the functions here in their places (--wrap). They need older versions only. Where another function needs
// a place here, //release:symbol_versions_test names it.
#include <pthread.h>

#include <cmath>
#include <condition_variable>
#include <mutex>

extern "C" {

// Of glibc 2.35, which differs from older ones in errno.
double __wrap_hypot(double x, double y) { return static_cast<double>(hypotl(x, y)); }

// std::condition_variable::wait(std::unique_lock<std::mutex>&) of GCC 12, which differs from older ones in noexcept. A
// reference is passed as a pointer.
void __wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(std::condition_variable* condition,
                                                                      std::unique_lock<std::mutex>* lock) {
  pthread_cond_wait(condition->native_handle(), lock->mutex()->native_handle());
}

}  // extern "C"
