#ifndef MODELPORT_BENCH_COST_BENCH_H_
#define MODELPORT_BENCH_COST_BENCH_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "bench/compare_costs.h"
#include "registry/registry.h"
#include "tools/command/flags.h"

namespace modelport {

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
const FlagGroup& CostBenchFlags();

// Writes the checkpoint of `model` in a folder of its own, which is removed at the end, and prints what the commands
// that `make` returns cost beside a copy. The flags --folder and --rounds say where, and how many times each runs.
//   NotFound  there is no such model
//   others    as `make`, WriteSeededSafetensors and CompareCosts
absl::Status RunCostBench(const std::string& model,
                          absl::FunctionRef<absl::StatusOr<BenchCases>(const BenchFiles& files)> make);

}  // namespace modelport

#endif  // MODELPORT_BENCH_COST_BENCH_H_
