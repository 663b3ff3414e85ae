// Measures what a conversion of a checkpoint costs beside a plain copy of it.
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "bench/cost_bench.h"
#include "bench/measure.h"
#include "tools/command/command.h"
#include "tools/command/flags.h"

namespace modelport {
namespace {

struct ConvertBenchFlags {
  FlagGroup group;
  Flag<std::string> model{group, "model", "dinov2_vitl14_reg",
                          "the model whose checkpoint is converted, one of a family with layouts of transformers"};
  CostBenchFlags cost{group};
};

absl::StatusOr<BenchCases> MakeCases(const BenchFiles& files) {
  const auto convert = [&](const char* checkpoint, const char* layout, const char* out) {
    return files.Command("convert", absl::StrCat("--checkpoint=", files.Path(checkpoint), " --layout=", layout,
                                                 " --out=", files.Path(out)));
  };
  const Measurement made = Measure(convert("m.safetensors", "transformers", "transformers"));
  if (made.exit_status != 0) return absl::InternalError("the first conversion failed");
  return BenchCases{{{"original to transformers", convert("m.safetensors", "transformers", "out")},
                     {"transformers to original", convert("transformers", "original", "out")},
                     {"original to transformers, torch.save", convert("m.pth", "transformers", "out")},
                     {"original to original", convert("m.safetensors", "original", "out")}},
                    {"out"}};
}

absl::Status Run(const ConvertBenchFlags& flags) { return RunCostBench(flags.cost, *flags.model, MakeCases); }

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  return modelport::RunTool(argc, argv,
                            {.name = "convert",
                             .summary = "Measures conversions of a checkpoint beside a copy of it.",
                             .begin = modelport::TakesFlags<modelport::ConvertBenchFlags>(modelport::Run)});
}
