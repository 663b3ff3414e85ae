// Flags and the names of stages, as a tool reads them. The input is one argument a line.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/types/optional.h"
#include "common/torchscript/parity/stage.h"
#include "tests/fuzz/fuzz_check.h"
#include "tools/command/flags.h"

namespace modelport {
namespace {

struct FuzzFlags {
  FlagGroup group;
  Flag<absl::optional<int64_t>> size{group, "size", absl::nullopt, "pixels"};
  Flag<double> bound{group, "bound", 0.5, "a bound"};
  Flag<bool> proof{group, "proof", true, "whether to prove"};
  Flag<std::string> out{group, "out", "", "a path"};
  Flag<std::vector<std::string>> models{group, "models", {}, "names"};
};

void ParseArguments(const std::vector<std::string>& lines) {
  std::vector<const char*> arguments;
  for (const std::string& line : lines) arguments.push_back(line.c_str());
  FuzzFlags flags;
  const auto others = ParseFlags(flags.group, arguments);
  FuzzCheckRefusal(others.status());
  if (others.ok()) FuzzCheck(others->size() <= lines.size(), "an argument is taken once");
}

void ReadStageName(const std::string& name) {
  const absl::StatusOr<Stage> stage = ParseStage(name);
  FuzzCheckRefusal(stage.status());
  if (!stage.ok()) return;
  const std::string shortest = StageName(*stage);
  const absl::StatusOr<Stage> again = ParseStage(shortest);
  FuzzCheck(again.ok() && SameCall(*stage, *again), "a stage's name names the same call");
  FuzzCheck(StageName(*again) == shortest, "a stage has one shortest name");
}

}  // namespace
}  // namespace modelport

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::vector<std::string> lines = absl::StrSplit(modelport::FuzzText(data, size), '\n');
  modelport::ParseArguments(lines);
  for (const std::string& line : lines) modelport::ReadStageName(line);
  return 0;
}
