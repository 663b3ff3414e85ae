#ifndef MODELPORT_BENCH_MEASURE_H_
#define MODELPORT_BENCH_MEASURE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace modelport {

// The cost of one run of a command.
struct Measurement {
  int exit_status = 0;
  double wall_seconds = 0;
  double cpu_seconds = 0;       // User and system.
  int64_t peak_anon_bytes = 0;  // Private memory: the largest RssAnon seen, read every 2 ms.
};

// The CPU time of this process, of all its threads, user and system.
double CpuSeconds();

// The bytes of a field of /proc/PROCESS/status, such as "VmRSS"; 0 if there is none. `process` is an ID or "self".
int64_t ProcessMemory(absl::string_view process, absl::string_view field);

// Runs a shell command and discards its output.
Measurement Measure(const std::string& command);

// Of `values`, at least one. Of an even number the upper of the two in the middle.
double Median(std::vector<double> values);

// The median of the wall times.
double MedianWall(const std::vector<Measurement>& runs);

// The largest peak.
int64_t PeakAnon(const std::vector<Measurement>& runs);

}  // namespace modelport

#endif  // MODELPORT_BENCH_MEASURE_H_
