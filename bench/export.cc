// Measures what an export costs beside a plain copy of the checkpoint.
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "bench/cost_bench.h"
#include "bench/seeded_file.h"
#include "common/keymap/published_keys.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "tools/command/command.h"
#include "tools/command/flags.h"

namespace modelport {
namespace {

struct ExportBenchFlags {
  FlagGroup group;
  Flag<std::string> model{group, "model", "dav2_vitl", "the model whose export is compared with a copy"};
  CostBenchFlags cost{group};
};

constexpr char kSmall[] = "dav2_vits";

// The key that the wrong file stores under another name.
absl::StatusOr<std::string> PublishedLast(const CatalogEntry& entry) {
  ASSIGN_OR_RETURN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, entry.variant->module));
  return PublishedKeys(entry.plugin->key_map, tree).back().key;
}

absl::StatusOr<BenchCases> MakeCases(const BenchFiles& files) {
  ASSIGN_OR_RETURN(const std::string last, PublishedLast(files.entry));
  RETURN_IF_ERROR(WriteSeededSafetensors(files.entry, files.Path("wrong.safetensors"), last));
  ASSIGN_OR_RETURN(const CatalogEntry small, files.registry.Find(kSmall));
  RETURN_IF_ERROR(WriteSeededTorchZip(small, files.Path("small.pth")));
  const auto export_as = [&](const std::string& model, const char* checkpoint, const char* flags,
                             const char* out = "out.pt") {
    return files.Command("export", absl::StrCat("--model=", model, " --checkpoint=", files.Path(checkpoint),
                                                " --out=", files.Path(out), " ", flags));
  };
  const auto run = [&](const char* checkpoint, const char* flags) {
    return export_as(files.entry.variant->name, checkpoint, flags);
  };
  const auto to_onnx = [&](const char* flags) {
    return export_as(files.entry.variant->name, "m.safetensors", flags, "out.onnx");
  };
  return BenchCases{{{"export, no proof, safetensors", run("m.safetensors", "--noverify")},
                     {"export, no proof, torch.save", run("m.pth", "--noverify")},
                     {"export for LibTorch 1.6, no proof", run("m.safetensors", "--noverify --runtime=1.6")},
                     {"export to ONNX, no proof", to_onnx("--target=onnx --noverify")},
                     {"export to ONNX and a data file, no proof", to_onnx("--target=onnx --external_data --noverify")},
                     {"export with proof, safetensors", run("m.safetensors", "")},
                     {"refusal of a wrong key", run("wrong.safetensors", ""), 1, false},
                     {absl::StrCat("export with proof, ", kSmall), export_as(kSmall, "small.pth", ""), 0, false}},
                    {"out.pt", "out.manifest.json", "out.onnx", "out.onnx.data"}};
}

absl::Status Run(const ExportBenchFlags& flags) { return RunCostBench(flags.cost, *flags.model, MakeCases); }

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  return modelport::RunTool(argc, argv,
                            {.name = "export",
                             .summary = "Measures an export beside a copy of the same bytes.",
                             .begin = modelport::TakesFlags<modelport::ExportBenchFlags>(modelport::Run)});
}
