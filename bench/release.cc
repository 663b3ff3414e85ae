// Measures how long the program modelport takes to start, and how large it is with what lies beside it.
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/measure.h"
#include "common/status/status_macros.h"
#include "common/text/table.h"
#include "common/text/units.h"
#include "tools/command/command.h"
#include "tools/command/flags.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

struct ReleaseFlags {
  FlagGroup group;
  Flag<int> rounds{group, "rounds", 21, "how many times the program starts"};
};

// The bytes of the file `path`, or of all files in the folder.
absl::StatusOr<int64_t> Size(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    const uintmax_t size = fs::file_size(path, error);
    if (error) return absl::NotFoundError(absl::StrCat(path.string(), ": ", error.message()));
    return size;
  }
  int64_t sum = 0;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    ASSIGN_OR_RETURN(const int64_t size, Size(entry->path()));
    sum += size;
  }
  if (error) return absl::NotFoundError(absl::StrCat(path.string(), ": ", error.message()));
  return sum;
}

absl::Status Run(const ReleaseFlags& flags) {
  const std::string program = fs::absolute("release/modelport");
  ASSIGN_OR_RETURN(const int64_t own, Size(program));
  ASSIGN_OR_RETURN(const int64_t beside, Size("../portable_libraries/shared"));
  ASSIGN_OR_RETURN(const int64_t libtorch, Size("../libtorch/lib"));
  std::vector<Measurement> runs;
  double cpu = 0;
  for (int round = 0; round < *flags.rounds; ++round) {
    runs.push_back(Measure(absl::StrCat(program, " --version")));
    if (runs.back().exit_status != 0) return absl::InternalError(absl::StrCat(program, ": does not start"));
    cpu += runs.back().cpu_seconds / *flags.rounds;
  }
  Table table;
  table.AddRow({"program", FormatBytes(own)});
  table.AddRow({"libraries beside it", FormatBytes(beside)});
  table.AddRow({"LibTorch", FormatBytes(libtorch)});
  table.AddRow({"all but LibTorch", absl::StrCat(own + beside, " bytes, wanted at most 20000000")});
  table.AddRow(
      {"start", absl::StrFormat("%.2f s, wanted at most 0.20 s; %.2f s of the processor", MedianWall(runs), cpu)});
  std::cout << table.ToString();
  return absl::OkStatus();
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  return modelport::RunTool(argc, argv,
                            {.name = "release",
                             .summary = "Measures the start and the size of the program modelport.",
                             .begin = modelport::TakesFlags<modelport::ReleaseFlags>(modelport::Run)});
}
