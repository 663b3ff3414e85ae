// Measures what a conversion of a checkpoint costs beside a plain copy of it.
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/compare_costs.h"
#include "bench/measure.h"
#include "bench/own_folder.h"
#include "bench/seeded_file.h"
#include "common/status/status_macros.h"
#include "common/text/units.h"
#include "models/embedded_plugins.h"
#include "registry/registry.h"
#include "tools/flags.h"
#include "tools/tool_main.h"
#include "tools/user_path.h"

namespace modelport {
namespace {

FlagGroup flags;
Flag<std::string> FLAGS_model(flags, "model", "dinov2_vitl14_reg",
                              "the model whose checkpoint is converted, one of a family with layouts of transformers");
Flag<std::string> FLAGS_folder(
    flags, "folder", "",
    "the folder for the bench's own folder, which holds all files and is removed at the end; by default the "
    "system's folder for temporary files");
Flag<int> FLAGS_rounds(flags, "rounds", 7, "how many times each command runs; the commands take turns");

namespace fs = std::filesystem;

class Bench {
 public:
  Bench(const CatalogEntry& entry, fs::path folder) : entry_(entry), folder_(std::move(folder)) {}

  absl::Status WriteFiles() {
    RETURN_IF_ERROR(WriteSeededSafetensors(entry_, Path("original")));
    RETURN_IF_ERROR(WriteSeededTorchZip(entry_, Path("original.pth")));
    const Measurement made = Measure(Convert("original", "transformers", "transformers"));
    return made.exit_status == 0 ? absl::OkStatus() : absl::InternalError("the first conversion failed");
  }

  std::vector<CostCase> Cases() const {
    return {
        {"cp A B && sync -d B",
         absl::StrCat("sh -c 'cp ", Path("original"), " ", Path("copy"), " && sync -d ", Path("copy"), "'")},
        {"original to transformers", Convert("original", "transformers", "out")},
        {"transformers to original", Convert("transformers", "original", "out")},
        {"original to transformers, torch.save", Convert("original.pth", "transformers", "out")},
        {"original to original", Convert("original", "original", "out")},
    };
  }

  std::vector<std::string> Outputs() const { return {Path("copy"), Path("out")}; }

  std::string Path(const std::string& name) const { return folder_ / name; }

 private:
  std::string Convert(const std::string& checkpoint, const std::string& layout, const std::string& out) const {
    return absl::StrCat(fs::absolute("tools/convert").string(), " --checkpoint=", Path(checkpoint),
                        " --layout=", layout, " --out=", Path(out));
  }

  CatalogEntry entry_;
  fs::path folder_;
};

absl::Status RunIn(const fs::path& folder) {
  ASSIGN_OR_RETURN(const Registry registry, Registry::Load(EmbeddedPlugins(), {}));
  ASSIGN_OR_RETURN(const CatalogEntry entry, registry.Find(*FLAGS_model));
  Bench bench(entry, folder);
  RETURN_IF_ERROR(bench.WriteFiles());
  const double weights = fs::file_size(bench.Path("original"));
  const int rounds = *FLAGS_rounds;
  std::cout << entry.variant->name << ", " << FormatBytes(weights) << ", " << rounds << " rounds in turn\n";
  return CompareCosts(bench.Cases(), bench.Outputs(), rounds, weights);
}

absl::Status Run() {
  const std::string parent = *FLAGS_folder;
  ASSIGN_OR_RETURN(const OwnFolder folder,
                   OwnFolder::Create(parent.empty() ? fs::temp_directory_path().string() : ResolveUserPath(parent)));
  return RunIn(folder.path());
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  return modelport::RunTool(argc, argv,
                            {.name = "convert",
                             .summary = "Measures conversions of a checkpoint beside a copy of it.",
                             .flags = modelport::flags,
                             .run = modelport::TakesFlags(modelport::Run)});
}
