// Debian 12's glibc and libstdc++ have newer versions of these functions than the systems on which modelport runs. The
// linker gives modelport the functions here in their places (--wrap), which call the older versions. Where another one
// is needed, //release:symbol_versions_test names it.
#include <condition_variable>
#include <mutex>

extern "C" {

// glibc 2.35 has a version that does not set errno.
__asm__(".symver old_hypot, hypot@GLIBC_2.2.5");
double old_hypot(double x, double y);
double __wrap_hypot(double x, double y) { return old_hypot(x, y); }

// std::condition_variable::wait(std::unique_lock<std::mutex>&). GCC 12 has a version that is not noexcept.
__asm__(".symver old_wait, _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE@GLIBCXX_3.4.11");
void old_wait(std::condition_variable* condition, std::unique_lock<std::mutex>* lock);
void __wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(std::condition_variable* condition,
                                                                      std::unique_lock<std::mutex>* lock) {
  old_wait(condition, lock);
}

}  // extern "C"
