// Measures what an export costs beside a plain copy of the checkpoint.
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/measure.h"
#include "bench/own_folder.h"
#include "bench/seeded_file.h"
#include "common/keymap/published_keys.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "common/text/table.h"
#include "common/text/units.h"
#include "models/embedded_plugins.h"
#include "registry/registry.h"
#include "tools/tool_main.h"

ABSL_FLAG(std::string, model, "dav2_vitl", "the model whose export is compared with a copy");
ABSL_FLAG(std::string, folder, "",
          "the folder for the bench's own folder, which holds all files and is removed at the end; by default the "
          "system's folder for temporary files");
ABSL_FLAG(int, rounds, 7, "how many times each command runs; the commands take turns");

namespace modelport {
namespace {

namespace fs = std::filesystem;

// A command that is measured. With `compared`, the report relates its wall time to the copy's and its memory to the
// weights.
struct Case {
  std::string name;
  std::string command;
  int exit_status = 0;
  bool compared = true;
};

class Bench {
 public:
  Bench(const CatalogEntry& entry, fs::path folder) : entry_(entry), folder_(std::move(folder)) {}

  absl::Status WriteFiles(const CatalogEntry& small) {
    RETURN_IF_ERROR(WriteSeededSafetensors(entry_, Path("m.safetensors")));
    RETURN_IF_ERROR(WriteSeededTorchZip(entry_, Path("m.pth")));
    RETURN_IF_ERROR(WriteSeededSafetensors(entry_, Path("wrong.safetensors"), PublishedLast()));
    return WriteSeededTorchZip(small, Path("small.pth"));
  }

  std::vector<Case> Cases(const std::string& small) const {
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

  // Every command must write new files, because replacing a file takes longer, by a time that differs between commands.
  // Waits until the file system has freed the old files.
  void RemoveOutputs() const {
    for (const char* name : {"copy", "out.pt", "out.manifest.json"}) fs::remove(Path(name));
    sync();
    sleep(1);
  }

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

absl::Status Report(const std::vector<Case>& cases, const std::vector<std::vector<Measurement>>& runs, double weights) {
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
  return absl::OkStatus();
}

// Makes the files in `folder`, runs all commands on them and prints the report.
absl::Status RunIn(const fs::path& folder) {
  ASSIGN_OR_RETURN(const Registry registry, Registry::Load(EmbeddedPlugins(), {}));
  ASSIGN_OR_RETURN(const CatalogEntry entry, registry.Find(absl::GetFlag(FLAGS_model)));
  ASSIGN_OR_RETURN(const CatalogEntry small, registry.Find("dav2_vits"));
  Bench bench(entry, folder);
  RETURN_IF_ERROR(bench.WriteFiles(small));
  const std::vector<Case> cases = bench.Cases(small.variant->name);
  std::vector<std::vector<Measurement>> runs(cases.size());
  for (int round = 0; round < absl::GetFlag(FLAGS_rounds); ++round) {
    for (size_t i = 0; i < cases.size(); ++i) {
      bench.RemoveOutputs();
      runs[i].push_back(Measure(cases[i].command));
      if (runs[i].back().exit_status != cases[i].exit_status) {
        return absl::InternalError(
            absl::StrCat(cases[i].name, " ended with status ", runs[i].back().exit_status, ": ", cases[i].command));
      }
    }
  }
  const double weights = fs::file_size(bench.Path("m.safetensors"));
  std::cout << entry.variant->name << ", " << FormatBytes(weights) << ", " << absl::GetFlag(FLAGS_rounds)
            << " rounds in turn\n";
  return Report(cases, runs, weights);
}

absl::Status Run() {
  const std::string parent = absl::GetFlag(FLAGS_folder);
  ASSIGN_OR_RETURN(const OwnFolder folder,
                   OwnFolder::Create(parent.empty() ? fs::temp_directory_path().string() : ResolveUserPath(parent)));
  return RunIn(folder.path());
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  return modelport::RunTool(argc, argv, "Measures an export beside a copy of the same bytes.", modelport::Run);
}
