// Measures what an export costs beside a plain copy of the checkpoint.
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/compare_costs.h"
#include "bench/own_folder.h"
#include "bench/seeded_file.h"
#include "common/keymap/published_keys.h"
#include "common/module_tree/module_tree.h"
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
Flag<std::string> FLAGS_model(flags, "model", "dav2_vitl", "the model whose export is compared with a copy");
Flag<std::string> FLAGS_folder(
    flags, "folder", "",
    "the folder for the bench's own folder, which holds all files and is removed at the end; by default the "
    "system's folder for temporary files");
Flag<int> FLAGS_rounds(flags, "rounds", 7, "how many times each command runs; the commands take turns");

namespace fs = std::filesystem;

class Bench {
 public:
  Bench(const CatalogEntry& entry, fs::path folder) : entry_(entry), folder_(std::move(folder)) {}

  absl::Status WriteFiles(const CatalogEntry& small) {
    RETURN_IF_ERROR(WriteSeededSafetensors(entry_, Path("m.safetensors")));
    RETURN_IF_ERROR(WriteSeededTorchZip(entry_, Path("m.pth")));
    RETURN_IF_ERROR(WriteSeededSafetensors(entry_, Path("wrong.safetensors"), PublishedLast()));
    return WriteSeededTorchZip(small, Path("small.pth"));
  }

  std::vector<CostCase> Cases(const std::string& small) const {
    const std::string model = entry_.variant->name;
    return {
        {"cp A B && sync -d B",
         absl::StrCat("sh -c 'cp ", Path("m.safetensors"), " ", Path("copy"), " && sync -d ", Path("copy"), "'")},
        {"export, no proof, safetensors", Export(model, "m.safetensors", "--noverify")},
        {"export, no proof, torch.save", Export(model, "m.pth", "--noverify")},
        {"export for LibTorch 1.6, no proof", Export(model, "m.safetensors", "--noverify --runtime=1.6")},
        {"export with proof, safetensors", Export(model, "m.safetensors", "")},
        {"refusal of a wrong key", Export(model, "wrong.safetensors", ""), 1, false},
        {absl::StrCat("export with proof, ", small), Export(small, "small.pth", ""), 0, false},
    };
  }

  std::vector<std::string> Outputs() const { return {Path("copy"), Path("out.pt"), Path("out.manifest.json")}; }

  std::string Path(const std::string& name) const { return folder_ / name; }

 private:
  std::string Export(const std::string& model, const std::string& checkpoint, const std::string& flags) const {
    return absl::StrCat(fs::absolute("tools/export").string(), " --model=", model, " --checkpoint=", Path(checkpoint),
                        " --out=", Path("out.pt"), " ", flags);
  }

  // The key that the wrong file stores under another name.
  std::string PublishedLast() const {
    const auto tree = BuildModuleTree(entry_.plugin->library, entry_.variant->module);
    return tree.ok() ? PublishedKeys(entry_.plugin->key_map, *tree).back().key : "";
  }

  CatalogEntry entry_;
  fs::path folder_;
};

// Makes the files in `folder`, runs all commands on them and prints the report.
absl::Status RunIn(const fs::path& folder) {
  ASSIGN_OR_RETURN(const Registry registry, Registry::Load(EmbeddedPlugins(), {}));
  ASSIGN_OR_RETURN(const CatalogEntry entry, registry.Find(*FLAGS_model));
  ASSIGN_OR_RETURN(const CatalogEntry small, registry.Find("dav2_vits"));
  Bench bench(entry, folder);
  RETURN_IF_ERROR(bench.WriteFiles(small));
  const double weights = fs::file_size(bench.Path("m.safetensors"));
  const int rounds = *FLAGS_rounds;
  std::cout << entry.variant->name << ", " << FormatBytes(weights) << ", " << rounds << " rounds in turn\n";
  return CompareCosts(bench.Cases(small.variant->name), bench.Outputs(), rounds, weights);
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
                            {.name = "export",
                             .summary = "Measures an export beside a copy of the same bytes.",
                             .flags = modelport::flags,
                             .run = modelport::TakesFlags(modelport::Run)});
}
