#include "bench/cost_bench.h"

#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/measure.h"
#include "bench/own_folder.h"
#include "bench/seeded_file.h"
#include "common/status/status_macros.h"
#include "common/text/table.h"
#include "common/text/units.h"
#include "models/built_in_plugins.h"
#include "tools/command/user_path.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

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

CostCase Copy(const BenchFiles& files) {
  return {"cp A B && sync -d B", absl::StrCat("sh -c 'cp ", files.Path("m.safetensors"), " ", files.Path("copy"),
                                              " && sync -d ", files.Path("copy"), "'")};
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

CostBenchFlags::CostBenchFlags(FlagGroup& group)
    : folder(group, "folder", "",
             "the folder for the bench's own folder, which holds all files and is removed at the end; by default the "
             "system's folder for temporary files"),
      rounds(group, "rounds", 7, "how many times each command runs; the commands take turns") {}

std::string BenchFiles::Path(absl::string_view name) const { return fs::path(folder) / std::string(name); }

std::string BenchFiles::Command(absl::string_view tool, absl::string_view flags) const {
  return absl::StrCat(fs::absolute("tools").string(), "/", tool, "/", tool, " ", flags);
}

absl::Status RunCostBench(const CostBenchFlags& flags, const std::string& model,
                          absl::FunctionRef<absl::StatusOr<BenchCases>(const BenchFiles& files)> make) {
  const std::string parent = *flags.folder;
  ASSIGN_OR_RETURN(const OwnFolder folder,
                   OwnFolder::Create(parent.empty() ? fs::temp_directory_path().string() : ResolveUserPath(parent)));
  ASSIGN_OR_RETURN(const Registry registry, Registry::Load(BuiltInPlugins(), {}));
  ASSIGN_OR_RETURN(const CatalogEntry entry, registry.Find(model));
  const BenchFiles files = {registry, entry, folder.path()};
  RETURN_IF_ERROR(WriteSeededSafetensors(entry, files.Path("m.safetensors")));
  RETURN_IF_ERROR(WriteSeededTorchZip(entry, files.Path("m.pth")));
  ASSIGN_OR_RETURN(BenchCases bench, make(files));
  bench.cases.insert(bench.cases.begin(), Copy(files));
  std::vector<std::string> outputs = {files.Path("copy")};
  for (const std::string& name : bench.outputs) outputs.push_back(files.Path(name));
  const double weights = fs::file_size(files.Path("m.safetensors"));
  const int rounds = *flags.rounds;
  std::cout << model << ", " << FormatBytes(weights) << ", " << rounds << " rounds in turn\n";
  return CompareCosts(bench.cases, outputs, rounds, weights);
}

}  // namespace modelport
