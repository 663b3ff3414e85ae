// Prints what a checkpoint holds and how it maps onto a model.
#include <algorithm>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/choose_layout.h"
#include "common/keymap/comparison.h"
#include "common/keymap/source_choice.h"
#include "common/manifest/bill_of_materials.h"
#include "common/module_tree/module_tree.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "models/built_in_plugins.h"
#include "nlohmann/json.hpp"
#include "registry/recognise/assign_files.h"
#include "registry/recognise/checked_plan.h"
#include "registry/recognise/infer_models.h"
#include "registry/recognise/map_weights.h"
#include "registry/recognise/published_file.h"
#include "registry/recognise/recognise_model.h"
#include "registry/recognise/weight_source.h"
#include "registry/registry.h"
#include "registry/weight_parts.h"
#include "tools/command/commands.h"
#include "tools/command/flags.h"
#include "tools/command/report.h"
#include "tools/command/tool_call.h"
#include "tools/command/user_path.h"
#include "tools/draft/draft_layout.h"
#include "tools/inspect/print_artifact.h"
#include "tools/inspect/print_checkpoint.h"
#include "tools/request/given_files.h"
#include "tools/request/load_registry.h"

namespace modelport {
namespace {

struct InspectFlags {
  InspectFlags() {
    artifact.NotWith({&checkpoint, &model, &family, &source.layout, &source.state_dict, &source.prefix, &draft},
                     "an artifact says itself what it was made from");
    bom.OnlyWith({&artifact});
    family.NotWith({&model}, "a model has its family");
    draft.NotWith({&source.layout}, "a draft is a layout of its own");
    report.flag().NotWith({&draft, &bom}, "they print a file, not a table");
  }

  FlagGroup group;
  Flag<std::string> artifact{
      group, "artifact", "",
      "in the place of --checkpoint: an exported .pt file, whose manifest is printed; none of its code runs"};
  Flag<bool> bom{group, "bom", false,
                 "with --artifact: print only its bill of materials, CycloneDX 1.5 in JSON, by what the manifest says"};
  Flag<std::string> checkpoint{group, "checkpoint", "",
                               "the file to inspect, or several with commas between that fill one model"};
  Flag<std::string> model{group, "model", "",
                          "the variant that it should fit; without one, inspect names those that it fits"};
  Flag<std::string> family{group, "family", "",
                           "without --model: the family whose models are searched; by default all are"};
  SourceFlags source{group};
  Flag<bool> draft{group, "draft", false,
                   "print only the draft of a layout, as a keymap.yaml, by which most keys fill slots of --model or of "
                   "the nearest model"};
  RegistryFlags registry{group};
  Report report{group};
};

// Prints a layout by which the checkpoint may fit `entry`, or the nearest model.
absl::Status PrintDraft(const Registry& registry, absl::optional<CatalogEntry> entry, const Checkpoint& checkpoint,
                        const SourceChoice& choice) {
  ASSIGN_OR_RETURN(const StateDict* const dict, ChooseDict(checkpoint, choice.state_dict));
  if (!entry) {
    const absl::optional<NearestVariant> nearest = FindNearestVariant(registry, checkpoint, choice);
    if (!nearest) {
      return absl::FailedPreconditionError(
          "no model of the catalog has most of its shapes\n  --model=NAME drafts a layout for that model");
    }
    ASSIGN_OR_RETURN(entry, registry.Find(nearest->name));
  }
  ASSIGN_OR_RETURN(const ModuleTree tree, BuildModuleTree(entry->plugin->library, entry->variant->module));
  ASSIGN_OR_RETURN(const LayoutDraft draft, DraftLayout(*dict, tree));
  std::cout << "# " << entry->variant->name << " from " << checkpoint.path() << "\n" << draft.yaml;
  return absl::OkStatus();
}

// Prints how each checkpoint maps onto the part of the model that it fills, or every difference. Returns the first
// error.
absl::Status InspectForModel(const Registry& registry, const CatalogEntry& entry,
                             const std::vector<GivenCheckpoint>& given) {
  const Variant& variant = *entry.variant;
  ASSIGN_OR_RETURN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, variant.module));
  ASSIGN_OR_RETURN(std::vector<WeightPart> parts, ChooseParts(entry, tree, given));
  std::vector<std::string> titles;
  for (const WeightPart& part : parts) titles.push_back(part.Title(variant));
  ASSIGN_OR_RETURN(const std::vector<size_t> part_of, AssignFiles(variant, parts, given));
  absl::Status status;
  for (size_t i = 0; i < given.size(); ++i) {
    const std::string& title = titles[part_of[i]];
    if (given.size() > 1) std::cout << "\n" << given[i].checkpoint.path() << " is for " << title << "\n";
    const absl::StatusOr<MappedPart> mapped =
        MapPart(FittingHint(registry), entry, std::move(parts[part_of[i]]), given[i],
                [&](const Comparison& comparison) { PrintDifferences(comparison, title, std::cout); });
    if (mapped.ok()) {
      PrintPlan(mapped->plan, mapped->part.tree, title, std::cout);
      PrintMapping(mapped->plan, mapped->part.tree, std::cout);
    }
    status.Update(mapped.status());
  }
  for (size_t i = 0; i < titles.size(); ++i) {
    if (std::count(part_of.begin(), part_of.end(), i) > 0) continue;
    std::cout << "\nno file is given for " << titles[i] << "\n";
  }
  return status;
}

// Prints what the file's name says of the models that fit, of which there are several.
void PrintNamed(const std::vector<FittingVariant>& fitting, const Checkpoint& checkpoint) {
  std::vector<CatalogEntry> entries;
  for (const FittingVariant& variant : fitting) {
    if (variant.plan.ok()) entries.push_back(variant.entry);
  }
  if (const absl::optional<CatalogEntry> named = ChooseByName(entries, {checkpoint.path()})) {
    std::cout << "  by its name: " << named->variant->name
              << ", which export takes unless the sha256 is that of another's published file\n";
  }
}

// Prints what to type next for the only model that fits, of which the user has to give the arguments `asked`. `again`
// are the flags of this command that the next one needs, too.
void PrintNext(const Checkpoint& checkpoint, const std::string& again, const std::vector<std::string>& asked = {}) {
  const std::string set = ArgumentsText(PlaceholdersOf(asked));
  std::cout << "  next: "
            << ToolCall("export", absl::StrCat(ShellFlag("checkpoint", checkpoint.path()), again,
                                               set.empty() ? "" : absl::StrCat(" ", ShellFlag("set", set))))
            << "\n";
}

// Prints the models that the checkpoint is with other arguments than the catalog's.
void PrintInferred(const std::vector<InferredModel>& models, const Checkpoint& checkpoint,
                   const absl::optional<std::string>& again) {
  std::cout << "\nfits no model of the catalog as it is there\n";
  for (const InferredModel& model : models) {
    std::cout << "fits " << model.entry.variant->name << " with the arguments " << ArgumentsText(model.arguments)
              << ", which its keys and shapes tell\n";
    if (!model.assumed.empty()) {
      std::cout << "  assumed, for these do not tell: " << ArgumentsText(model.assumed) << "\n";
    }
    if (!model.asked.empty()) {
      std::cout << "  to be given, for these do not tell: " << absl::StrJoin(model.asked, ", ") << "\n";
    }
    if (models.size() > 1) std::cout << "  " << FlagsOf(model) << " takes it\n";
  }
  if (models.size() == 1 && again) PrintNext(checkpoint, *again, models.front().asked);
}

// Prints the models that the checkpoint fits, or the parts of models, or else the nearest model, and with `again`, as
// for PrintNext, what to type next.
void InspectForAny(const Registry& registry, const GivenCheckpoint& given, const absl::optional<std::string>& again) {
  const auto& [checkpoint, choice] = given;
  const auto [fitting, inferred] = FindFits(registry, checkpoint, choice);
  const std::vector<std::string> parts =
      fitting.empty() ? TitlesOf(FindFittingParts(registry, checkpoint, choice)) : std::vector<std::string>();
  if (!parts.empty()) {
    std::cout << "\nfits " << absl::StrJoin(parts, ", ") << "\n";
    return;
  }
  if (!inferred.empty()) return PrintInferred(inferred, checkpoint, again);
  absl::optional<NearestVariant> nearest;
  if (fitting.empty()) nearest = FindNearestVariant(registry, checkpoint, choice);
  PrintFit(fitting, nearest, choice.layout, std::cout);
  if (const std::string hint = FileHint(checkpoint); fitting.empty() && !nearest && !hint.empty()) {
    std::cout << hint.substr(1) << "\n";
  }
  const size_t models = NamesOfFitting(fitting).size();
  if (models > 1) PrintNamed(fitting, checkpoint);
  if (models == 1 && again) PrintNext(checkpoint, *again);
}

absl::Status PrintBillOfMaterials(const ArtifactDescription& description) {
  // The manifest beside the file also says what was proven of it.
  const absl::optional<Manifest>& manifest = description.beside ? description.beside : description.within;
  if (!manifest) {
    return absl::FailedPreconditionError(
        absl::StrCat(description.path, ": has no manifest of Modelport, so nothing tells what it was made from"));
  }
  std::cout << BillOfMaterials(*manifest, description.sha256);
  return absl::OkStatus();
}

absl::Status InspectArtifact(InspectFlags& flags) {
  ASSIGN_OR_RETURN(const ArtifactDescription description, DescribeArtifact(ResolveUserPath(*flags.artifact)));
  if (*flags.bom) return PrintBillOfMaterials(description);
  if (flags.report.is_wanted()) {
    flags.report.fields().update(ArtifactReport(description));
  } else {
    PrintArtifact(description, std::cout);
  }
  return absl::OkStatus();
}

// Prints the models that several checkpoints fill together.
void InspectTogether(const Registry& registry, const std::vector<GivenCheckpoint>& given) {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : FindVariantsOfFiles(registry, given)) names.push_back(entry.variant->name);
  std::cout << "\ntogether they fill " << (names.empty() ? "no model of the catalog" : absl::StrJoin(names, ", "))
            << "\n";
}

// Prints first what the files are, then what they hold. `again` as for PrintNext.
absl::Status InspectFiles(const Registry& registry, const absl::optional<CatalogEntry>& entry,
                          const std::vector<GivenCheckpoint>& given, const std::string& again) {
  for (const GivenCheckpoint& file : given) {
    if (!entry && &file != &given.front()) std::cout << "\n";
    PrintFile(file.checkpoint, std::cout);
    if (!entry) InspectForAny(registry, file, given.size() == 1 ? absl::make_optional(again) : absl::nullopt);
  }
  absl::Status status;
  if (entry) status = InspectForModel(registry, *entry, given);
  if (!entry && given.size() > 1) InspectTogether(registry, given);
  for (const GivenCheckpoint& file : given) {
    if (given.size() > 1) std::cout << "\n" << file.checkpoint.path() << " holds\n";
    PrintContents(file.checkpoint, std::cout);
  }
  return status;
}

// What a program learns of a file: what it is, and which models it fits.
nlohmann::ordered_json ReportOf(const Registry& registry, const GivenCheckpoint& given) {
  const auto& [checkpoint, choice] = given;
  nlohmann::ordered_json report = {
      {"path", checkpoint.path()}, {"format", checkpoint.format()}, {"size_bytes", checkpoint.size()}};
  for (const StateDict& dict : checkpoint.state_dicts()) {
    report["state_dicts"].push_back({{"path", dict.path}, {"tensors", dict.tensors.size()}});
  }
  const auto [fitting, inferred] = FindFits(registry, checkpoint, choice);
  report["fits"] = NamesOfFitting(fitting);
  for (const FittingVariant& variant : fitting) {
    if (variant.plan.ok()) continue;
    report["refused"].push_back(
        {{"model", variant.entry.variant->name}, {"message", std::string(variant.plan.status().message())}});
  }
  for (const InferredModel& model : inferred) {
    report["inferred"].push_back({{"model", model.entry.variant->name},
                                  {"arguments", model.arguments},
                                  {"assumed", model.assumed},
                                  {"asked", model.asked}});
  }
  if (!fitting.empty() || !inferred.empty()) return report;
  const std::vector<std::string> parts = TitlesOf(FindFittingParts(registry, checkpoint, choice));
  if (!parts.empty()) {
    report["parts"] = parts;
  } else if (const auto nearest = FindNearestVariant(registry, checkpoint, choice)) {
    report["nearest"] = {{"model", nearest->name}, {"differences", nearest->differences}};
  }
  return report;
}

// The same of each file, and with a model whether they fill it.
absl::Status AddToReport(const Registry& registry, const absl::optional<CatalogEntry>& entry,
                         const std::vector<GivenCheckpoint>& given, nlohmann::ordered_json& report) {
  for (const GivenCheckpoint& file : given) report["files"].push_back(ReportOf(registry, file));
  if (!entry && given.size() > 1) {
    auto together = nlohmann::ordered_json::array();
    for (const CatalogEntry& each : FindVariantsOfFiles(registry, given)) together.push_back(each.variant->name);
    report["together"] = together;
  }
  if (!entry) return absl::OkStatus();
  report["model"] = entry->variant->name;
  ASSIGN_OR_RETURN(const ModuleTree tree, BuildModuleTree(entry->plugin->library, entry->variant->module));
  return MapGiven(FittingHint(registry), *entry, tree, given).status();
}

absl::Status CheckDraft(const CheckpointFiles& files) {
  if (files.size() > 1)
    return absl::InvalidArgumentError("--draft wants one checkpoint: it drafts a layout of one file");
  return absl::OkStatus();
}

absl::Status Inspect(InspectFlags& flags) {
  if (!flags.artifact->empty()) return InspectArtifact(flags);
  const std::vector<std::string> paths = ResolveUserPaths(*flags.checkpoint);
  if (paths.empty()) return absl::InvalidArgumentError("--checkpoint is missing, or --artifact for an exported file");
  ASSIGN_OR_RETURN(const CheckpointFiles files, flags.source.Files(paths));
  if (*flags.draft) RETURN_IF_ERROR(CheckDraft(files));
  ASSIGN_OR_RETURN(Registry registry, LoadRegistry(BuiltInPlugins(), flags.registry));
  ASSIGN_OR_RETURN(registry, SearchedRegistry(registry, *flags.family));
  absl::optional<CatalogEntry> entry;
  if (!flags.model->empty()) {
    ASSIGN_OR_RETURN(entry, registry.Find(*flags.model));
  } else {
    for (const CheckpointFile& file : files) {
      RETURN_IF_ERROR(CheckKnownLayout(registry, file.choice));
    }
  }
  ASSIGN_OR_RETURN(const std::vector<GivenCheckpoint> given, OpenGiven(files));
  if (flags.report.is_wanted()) {
    RETURN_IF_ERROR(AddToReport(registry, entry, given, flags.report.fields()));
  } else if (*flags.draft) {
    const auto& [checkpoint, choice] = given.front();
    RETURN_IF_ERROR(Annotate(PrintDraft(registry, entry, checkpoint, choice), checkpoint.path()));
  } else {
    const std::string again = FlagsAgain({&flags.family, &flags.source.layout, &flags.source.state_dict,
                                          &flags.source.prefix, &flags.registry.plugin_path});
    RETURN_IF_ERROR(InspectFiles(registry, entry, given, again));
  }
  for (const GivenCheckpoint& file : given) RETURN_IF_ERROR(file.checkpoint.CheckUnchanged());
  return absl::OkStatus();
}

}  // namespace

Command InspectCommand() {
  return {
      .name = "inspect",
      .summary =
          "Prints what a checkpoint holds and how it maps onto a model; reads no weights. With --artifact, describes "
          "an exported file.",
      .begin = TakesFlags<InspectFlags>(Inspect),
  };
}

}  // namespace modelport
