#ifndef MODELPORT_BENCH_COMPARE_COSTS_H_
#define MODELPORT_BENCH_COMPARE_COSTS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace modelport {

// A command that is measured. With `compared`, the report relates its wall time to that of the first command, a copy,
// and its memory to the weights.
struct CostCase {
  std::string name;
  std::string command;
  int exit_status = 0;
  bool compared = true;
};

// Runs the commands in turn, `rounds` times, and prints a table of their costs. Before each run it removes the files
// `outputs`, those that exist, because replacing a file takes longer, by a time that differs between commands.
// `weights` is the number of bytes that each command handles.
//   Internal  a command ended with another status than its own
absl::Status CompareCosts(const std::vector<CostCase>& cases, const std::vector<std::string>& outputs, int rounds,
                          double weights);

}  // namespace modelport

#endif  // MODELPORT_BENCH_COMPARE_COSTS_H_
