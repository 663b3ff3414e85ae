#include "bench/compare_costs.h"

#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/measure.h"
#include "common/text/table.h"
#include "common/text/units.h"

namespace modelport {
namespace {

// Waits until the file system has freed the old files.
void RemoveOutputs(const std::vector<std::string>& outputs) {
  for (const std::string& output : outputs) std::filesystem::remove(output);
  sync();
  sleep(1);
}

void Report(const std::vector<CostCase>& cases, const std::vector<std::vector<Measurement>>& runs, double weights) {
  const double copy = MedianWall(runs[0]);
  Table table;
  table.AddRow({"", "wall, median", "to the copy", "CPU", "private memory", "to the weights"});
  for (size_t i = 0; i < cases.size(); ++i) {
    const double wall = MedianWall(runs[i]);
    table.AddRow({cases[i].name, absl::StrFormat("%.2f s", wall),
                  cases[i].compared ? absl::StrFormat("%.2f x", wall / copy) : "",
                  absl::StrFormat("%.2f s", runs[i].front().cpu_seconds), FormatBytes(PeakAnon(runs[i])),
                  cases[i].compared ? absl::StrFormat("%.3f x", PeakAnon(runs[i]) / weights) : ""});
  }
  std::cout << table.ToString();
}

}  // namespace

absl::Status CompareCosts(const std::vector<CostCase>& cases, const std::vector<std::string>& outputs, int rounds,
                          double weights) {
  std::vector<std::vector<Measurement>> runs(cases.size());
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < cases.size(); ++i) {
      RemoveOutputs(outputs);
      runs[i].push_back(Measure(cases[i].command));
      if (runs[i].back().exit_status == cases[i].exit_status) continue;
      return absl::InternalError(
          absl::StrCat(cases[i].name, " ended with status ", runs[i].back().exit_status, ": ", cases[i].command));
    }
  }
  Report(cases, runs, weights);
  return absl::OkStatus();
}

}  // namespace modelport
