#include "bench/measure.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace modelport {
namespace {

double Seconds(const timeval& time) { return time.tv_sec + time.tv_usec * 1e-6; }

}  // namespace

double CpuSeconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

int64_t ProcessMemory(absl::string_view process, absl::string_view field) {
  std::ifstream status(absl::StrCat("/proc/", process, "/status"));
  for (std::string line; std::getline(status, line);) {
    absl::string_view rest = line;
    int64_t kilobytes = 0;
    if (absl::ConsumePrefix(&rest, absl::StrCat(field, ":")) && absl::ConsumeSuffix(&rest, "kB") &&
        absl::SimpleAtoi(rest, &kilobytes)) {
      return kilobytes * 1024;
    }
  }
  return 0;
}

Measurement Measure(const std::string& command) {
  const std::string line = absl::StrCat("exec ", command, " >/dev/null 2>&1");
  const auto start = std::chrono::steady_clock::now();
  // vfork and not fork: until it calls exec, a forked child counts this process's memory as its own.
  const pid_t pid = vfork();
  if (pid == 0) {
    // The command replaces the shell by "exec", so that `pid` is the command's own process.
    execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    _exit(127);
  }
  Measurement result;
  int status = 0;
  rusage usage = {};
  while (wait4(pid, &status, WNOHANG, &usage) == 0) {
    result.peak_anon_bytes = std::max(result.peak_anon_bytes, ProcessMemory(absl::StrCat(pid), "RssAnon"));
    usleep(2000);
  }
  result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.cpu_seconds = Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
  result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return result;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double MedianWall(const std::vector<Measurement>& runs) {
  std::vector<double> walls;
  for (const Measurement& run : runs) walls.push_back(run.wall_seconds);
  return Median(std::move(walls));
}

int64_t PeakAnon(const std::vector<Measurement>& runs) {
  int64_t peak = 0;
  for (const Measurement& run : runs) peak = std::max(peak, run.peak_anon_bytes);
  return peak;
}

}  // namespace modelport
