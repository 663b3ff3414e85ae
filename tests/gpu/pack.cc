// Packs the artifacts that tests/gpu/run.sh runs, those of the cases of tests/runtime/cases.h and
// tests/gpu/models.txt with seeded weights, into a folder that is small enough to carry to a machine with a GPU.
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "artifact/export/export_model.h"
#include "common/io/mapped_file.h"
#include "common/io/output_file.h"
#include "common/keymap/published_keys.h"
#include "common/manifest/manifest.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "common/text/units.h"
#include "common/torchscript/runtime/runtime.h"
#include "gtest/gtest-printers.h"
#include "models/built_in_plugins.h"
#include "nlohmann/json.hpp"
#include "registry/registry.h"
#include "targets/targets.h"
#include "tests/gpu/pack_artifact.h"
#include "tests/runtime/cases.h"
#include "tests/support/case_table.h"
#include "tools/command/command.h"
#include "tools/command/flags.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

struct PackFlags {
  FlagGroup group;
  Flag<std::string> runtime{group, "runtime", "",
                            "the oldest LibTorch that has to load the artifacts, such as 1.6; by default the newest"};
  Flag<std::string> only{group, "only", "", "pack only artifacts whose name contains this text"};
};

// An artifact to pack: of tests/runtime/cases.h, or one of tests/gpu/models.txt, which is timed.
struct Packed {
  std::string name;
  ArtifactCase artifact;
  bool is_timed = false;
  int copies = 0;  // Those between host and device that a timed call may make.
};

std::vector<Packed> AllPacked() {
  std::vector<Packed> all;
  for (const ArtifactCase& artifact : ArtifactCases()) all.push_back({testing::PrintToString(artifact), artifact});
  for (const Case& fields : ReadCaseTable("tests/gpu/models.txt")) {
    const std::string text = Text(fields, "copies");
    const int copies = text.empty() ? 0 : std::stoi(text);
    for (const std::string& model : Texts(fields, "model")) {
      const ArtifactCase artifact = {model, Text(fields, "target"), Texts(fields, "call"), {}};
      all.push_back({absl::StrCat("timed_", testing::PrintToString(artifact)), artifact, true, copies});
    }
  }
  return all;
}

absl::StatusOr<ExportOptions> OptionsOf(const PackFlags& flags, const CatalogEntry& entry, const ArtifactCase& artifact,
                                        const Seeded& weights, const std::string& out) {
  ExportOptions options;
  options.request.entry = entry;
  options.request.weights = weights;
  ASSIGN_OR_RETURN(options.request.target, FindTarget(artifact.target));
  if (!flags.runtime->empty()) {
    ASSIGN_OR_RETURN(options.request.runtime, FindRuntime(*flags.runtime));
  }
  options.request.with_preprocess = artifact.with_preprocess;
  options.request.wrapper = artifact.wrapper;
  options.out = out;
  options.prove = false;
  return options;
}

// Exports an artifact and writes "NAME.packed" into the folder. Returns its row of cases.json.
absl::StatusOr<nlohmann::ordered_json> Pack(const PackFlags& flags, const Registry& registry, const Packed& packed,
                                            const std::string& folder) {
  const ArtifactCase& artifact = packed.artifact;
  ASSIGN_OR_RETURN(const CatalogEntry entry, registry.Find(artifact.model));
  const std::string seed(absl::StripPrefix(absl::StripPrefix(artifact.half_weights, "seeded"), ":"));
  const Seeded weights = ParseSeededName(absl::StrCat("seeded:v1:", seed.empty() ? "0" : seed)).value();
  const std::string out = absl::StrCat(folder, "/", packed.name, ".pt");
  ASSIGN_OR_RETURN(const ExportOptions options, OptionsOf(flags, entry, artifact, weights, out));
  ASSIGN_OR_RETURN(const Manifest manifest, ExportModel(registry, options));
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(out));
  ASSIGN_OR_RETURN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, entry.variant->module));
  ASSIGN_OR_RETURN(const std::string bytes,
                   PackArtifact(file->bytes(), PublishedKeys(entry.plugin->key_map, tree), weights.seed));
  RETURN_IF_ERROR(OutputFile::WriteWhole(absl::StrCat(folder, "/", packed.name, ".packed"), bytes));
  std::cout << packed.name << ": " << FormatBytes(file->bytes().size()) << " packed into " << FormatBytes(bytes.size())
            << "\n";
  fs::remove(out);
  fs::remove(ManifestPath(out));
  nlohmann::ordered_json row;
  row["name"] = packed.name;
  row["model"] = artifact.model;
  row["target"] = artifact.target;
  row["sha256"] = manifest.artifact().sha256();
  row["magnifies"] = artifact.magnifies;
  row["timed"] = packed.is_timed;
  row["copies"] = packed.copies;
  row["calls"] = artifact.calls;
  row["steps"] = Steps(artifact);
  return row;
}

absl::Status Run(const PackFlags& flags, const std::vector<std::string>& folders) {
  if (folders.size() != 1) return absl::InvalidArgumentError("wants one folder: give its path beside the flags");
  const std::string& folder = folders.front();
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return absl::UnavailableError(absl::StrCat(folder, ": ", error.message()));
  ASSIGN_OR_RETURN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
  nlohmann::ordered_json cases = nlohmann::ordered_json::array();
  for (const Packed& packed : AllPacked()) {
    if (!absl::StrContains(packed.name, *flags.only)) continue;
    ASSIGN_OR_RETURN(const nlohmann::ordered_json row, Pack(flags, registry, packed, folder));
    cases.push_back(row);
  }
  return OutputFile::WriteWhole(absl::StrCat(folder, "/cases.json"), absl::StrCat(cases.dump(1), "\n"));
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  return modelport::RunTool(argc, argv,
                            {.name = "pack",
                             .summary = "Packs the artifacts that tests/gpu/run.sh runs into a folder.",
                             .arguments = "FOLDER",
                             .begin = modelport::TakesFiles<modelport::PackFlags>(modelport::Run)});
}
