#ifndef MODELPORT_BENCH_COST_BENCH_H_
#define MODELPORT_BENCH_COST_BENCH_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "registry/registry.h"
#include "tools/command/flags.h"

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

// The files of a benchmark: the seeded checkpoint of a model as "m.safetensors" and "m.pth", and what commands write.
struct BenchFiles {
  const Registry& registry;
  const CatalogEntry& entry;  // Of the model.
  std::string folder;

  std::string Path(absl::string_view name) const;
  // "TOOL FLAGS", a command that runs a tool of this build.
  std::string Command(absl::string_view tool, absl::string_view flags) const;
};

// What is compared with a copy of m.safetensors.
struct BenchCases {
  std::vector<CostCase> cases;
  std::vector<std::string> outputs;  // Names of the files that the commands write.
};

// --folder and --rounds.
struct CostBenchFlags {
  // Adds them to `group`.
  explicit CostBenchFlags(FlagGroup& group);

  Flag<std::string> folder;
  Flag<int> rounds;
};

// Writes the checkpoint of `model` in a folder of its own, which is removed at the end, and prints what the commands
// that `make` returns cost beside a copy. `flags` say where, and how many times each runs.
//   NotFound  there is no such model
//   others    as `make`, WriteSeededSafetensors and CompareCosts
absl::Status RunCostBench(const CostBenchFlags& flags, const std::string& model,
                          absl::FunctionRef<absl::StatusOr<BenchCases>(const BenchFiles& files)> make);

}  // namespace modelport

#endif  // MODELPORT_BENCH_COST_BENCH_H_
