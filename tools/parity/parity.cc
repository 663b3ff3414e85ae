// Compares a model with a reference of its upstream, stage by stage.
#include <c10/core/ScalarType.h>
#include <torch/csrc/jit/api/module.h>

#include <cmath>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "artifact/build/build_artifact.h"
#include "artifact/format/built_module.h"
#include "artifact/request/artifact_request.h"
#include "common/io/input_record.h"
#include "common/io/output_file.h"
#include "common/io/output_place.h"
#include "common/status/status_macros.h"
#include "common/tensor/dtype.h"
#include "common/text/units.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "tools/command/commands.h"
#include "tools/command/flags.h"
#include "tools/command/tool_call.h"
#include "tools/command/user_path.h"
#include "tools/parity/check/check_parity.h"
#include "tools/parity/check/compared_model.h"
#include "tools/parity/check/precision.h"
#include "tools/parity/page/parity_page.h"
#include "tools/parity/print_parity.h"
#include "tools/request/export_request.h"

namespace modelport {
namespace {

absl::StatusOr<Artifact> BuildHere(const Registry& registry, const ArtifactRequest& request) {
  ASSIGN_OR_RETURN(ArtifactPlan plan, PlanArtifact(registry, request));
  return BuildArtifact(request, std::move(plan));
}

// Builds the artifact that `request` asks for, in memory.
absl::StatusOr<Artifact> Build(const Registry& registry, const ArtifactRequest& request) {
  absl::StatusOr<Artifact> artifact = BuildHere(registry, request);
  if (!artifact.ok()) return WithPaths(artifact.status(), request);
  return artifact;
}

struct ParityFlags {
  ParityFlags() {
    exported.model.set_help(
        absl::StrCat("the variant to compare, such as dav2_vits; ", ToolCall("list"),
                     " shows all; by default the one that --checkpoint fits, if there is only one"));
    // The model is not written.
    Remove(group, exported.OfWrittenArtifact());
    Remove(group, {&exported.out, &exported.allow_nonfinite});
    artifact.NotWith(exported.ThatMakeArtifact(), "an artifact is compared as it is");
    artifact.NotWith(exported.host.ThatChooseHost(), "an artifact is compared as it is");
    artifact.NotWith({&exported.knob}, "the reference's call sets the artifact's knobs");
    for (AnyFlag* const flag : FlagGroup{&names, &tolerance, &inject, &bisect, &reduce, &from_stage, &html}) {
      flag->OnlyWith({&reference});
    }
    keep_error.OnlyWith({&precision});
    precision.NotWith({&exported.dtype}, "it compares with float32");
  }

  FlagGroup group;
  Flag<std::string> artifact{group, "artifact", "",
                             "a TorchScript file to compare instead of --model; parity runs its code, which may not "
                             "reach files or other processes"};
  Flag<std::string> reference{group, "reference", "",
                              "what upstream computed: a safetensors file, which tools/reference/dump_stages.py "
                              "writes, or a TorchScript file, which is called as the plugin's first example says"};
  Flag<std::string> names{group, "names", "",
                          "a YAML file that pairs the reference's names with the model's: modules: {encoder.layer: "
                          "blocks, pooler: null} and settings: {num_heads: heads}"};
  Flag<absl::optional<double>> tolerance{
      group, "tolerance", absl::nullopt,
      "how far elements may be from the reference's, as a part of each tensor's largest element; by default it follows "
      "from the rounding of the model, measured in float64"};
  Flag<std::vector<std::string>> inject{group,
                                        "inject",
                                        {},
                                        "stages, with commas between, at which the reference's tensors replace the "
                                        "model's own: blocks.2 for a result, \"input of blocks.2\" for all inputs"};
  Flag<bool> bisect{group, "bisect", false,
                    "find each module that is wrong on right input: it gets the reference's inputs, and the "
                    "reference's results from the modules that it calls"};
  Flag<std::string> reduce{
      group, "reduce", "",
      "with --bisect: write the smallest module that is wrong on right input to this folder, as a .pt file that runs "
      "alone, and a reference with its inputs and the outputs that are expected"};
  Flag<std::string> from_stage{group, "from_stage", "",
                               "begin at this stage, such as blocks.20: what comes before is not computed, but taken "
                               "from the reference, which may be one of --save_stages"};
  Flag<bool> find_nan{group, "find_nan", false,
                      "find the first operator that makes a NaN or an infinity; called as --reference says, or without "
                      "one as the plugin's first example"};
  Flag<std::string> precision{group, "precision", "",
                              "float16 or bfloat16: tell which modules lose most in it, and which must stay in "
                              "float32; called as --reference says, or without one as the plugin's first example"};
  Flag<double> keep_error{group, "keep_error", 0.01,
                          "with --precision: the error that the outputs may have, as a part of their largest element"};
  Flag<bool> all{group, "all", false, "print a row for every stage, not only for those that matter first"};
  Flag<bool> json{group, "json", false, "print JSON, with every tensor"};
  Flag<std::string> html{
      group, "html", "",
      "write a page for a browser: the difference of each stage as a curve, a tree of the modules, and pictures"};
  Flag<std::string> save_stages{group, "save_stages", "",
                                "write what the model itself computes to this safetensors file, a reference; called as "
                                "--reference says, or without one as the plugin's first example"};
  ExportFlags exported{group};
};

absl::StatusOr<CompareOptions> ParseCompareOptions(const ParityFlags& flags) {
  CompareOptions options = {.tolerance = *flags.tolerance,
                            .inject = *flags.inject,
                            .from_stage = *flags.from_stage,
                            .keep_tensors = !flags.html->empty()};
  if (!options.tolerance || (std::isfinite(*options.tolerance) && *options.tolerance >= 0)) return options;
  return absl::InvalidArgumentError(absl::StrCat("--tolerance=", *options.tolerance, ": wants a number from 0"));
}

// A model and what it borrows from.
struct Loaded {
  absl::optional<ExportRequest> request;
  absl::optional<Artifact> built;
  ComparedModel model;
};

absl::StatusOr<Loaded> Load(const ParityFlags& flags) {
  Loaded loaded;
  if (!flags.artifact->empty()) {
    ASSIGN_OR_RETURN(loaded.model, LoadComparedArtifact(ResolveUserPath(*flags.artifact)));
    return loaded;
  }
  ASSIGN_OR_RETURN(loaded.request, ParseExportRequest(BuiltInPlugins(), flags.exported));
  const ArtifactRequest& request = loaded.request->options.request;
  ASSIGN_OR_RETURN(loaded.built, Build(loaded.request->registry, request));
  loaded.model = {request.entry.variant->name, loaded.built->built->module, loaded.built->examples};
  for (const auto& [name, value] : request.knobs) loaded.model.knobs[name] = loaded.model.module->attr(name);
  return loaded;
}

// An output must not replace an input or the other output. All inputs have been read.
absl::Status CheckOutputs(const ParityFlags& flags) {
  for (const Flag<std::string>* flag : {&flags.save_stages, &flags.html}) {
    if (!(*flag)->empty()) RETURN_IF_ERROR(CheckReplacesNoInput(ResolveUserPath(**flag)));
  }
  if (flags.html->empty() || flags.save_stages->empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const OutputPlace stages, FindOutputPlace(ResolveUserPath(*flags.save_stages)));
  ASSIGN_OR_RETURN(const OutputPlace page, FindOutputPlace(ResolveUserPath(*flags.html)));
  if (stages.Path() != page.Path()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--html=", *flags.html, ": is the file of --save_stages, too; give each a file of its own"));
}

// Writes the model's own stages to `path`. `reference` has the call; nullopt for the first example.
absl::Status SaveStages(const Loaded& loaded, const absl::optional<Reference>& reference, const std::string& path) {
  ASSIGN_OR_RETURN(const Reference own, RecordModel(loaded.model, reference, path));
  RETURN_IF_ERROR(WriteReference(own, path));
  std::cout << own.expected.size() << " tensors of " << own.model << " in " << path << "\n";
  return absl::OkStatus();
}

absl::Status FindNan(const ComparedModel& model, const absl::optional<Reference>& reference) {
  ASSIGN_OR_RETURN(const absl::optional<OperatorRun> found, FindNonfinite(model, reference));
  if (!found) {
    std::cout << model.name << ": no operator makes a NaN or an infinity\n";
    return absl::OkStatus();
  }
  const bool is_known = !found->line.place.empty();
  return absl::FailedPreconditionError(absl::StrCat(model.name, ": ", found->call, " makes a NaN or an infinity",
                                                    is_known ? absl::StrCat("\n  ", found->line.place) : "",
                                                    is_known ? absl::StrCat(": ", found->line.text) : ""));
}

absl::Status SearchPrecision(const ParityFlags& flags, const Loaded& loaded,
                             const absl::optional<Reference>& reference) {
  const ComparedModel& model = loaded.model;
  const std::string& flag = *flags.precision;
  const double error = *flags.keep_error;
  if (flag != "float16" && flag != "bfloat16") {
    return absl::InvalidArgumentError(absl::StrCat("--precision=", flag, ": wants float16 or bfloat16"));
  }
  const at::ScalarType type = flag == "float16" ? at::kHalf : at::kBFloat16;
  ASSIGN_OR_RETURN(const Reference own, RecordModel(model, reference, model.name));
  ASSIGN_OR_RETURN(const std::vector<ComparedTensor> losses, FindLosses(*model.module, own, type));
  ASSIGN_OR_RETURN(const MixedPrecision mixed, FindMixedPrecision(*model.module, own, type, losses, error));
  std::cout << (*flags.json
                    ? PrecisionJson(model.name, flag, losses, mixed)
                    : PrecisionText(model.name, flag, losses, mixed, error, *flags.all ? Rows::kAll : Rows::kFirst));
  return absl::OkStatus();
}

// Writes the smallest module that is wrong, and tells how to run it.
absl::Status ReduceModel(const ParityFlags& flags, const ComparedModel& model, const Reference& reference,
                         const ParityReport& report) {
  if (!report.smallest) {
    std::cerr << "--reduce: no module is wrong on inputs that the reference tells; nothing is written\n";
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const SavedReduction saved,
                   SaveReduction(model, reference, *report.smallest, ResolveUserPath(*flags.reduce)));
  (*flags.json ? std::cerr : std::cout) << ReductionText(*report.smallest, saved);
  return absl::OkStatus();
}

absl::Status Check(const ParityFlags& flags, const ComparedModel& model, const Reference& reference,
                   const CompareOptions& options) {
  const bool reduces = !flags.reduce->empty();
  ASSIGN_OR_RETURN(const ParityReport report, CheckParity(model, reference, options, *flags.bisect || reduces));
  std::cout << (*flags.json ? ParityJson(report) : ParityText(report, *flags.all ? Rows::kAll : Rows::kFirst));
  if (!flags.html->empty()) {
    ASSIGN_OR_RETURN(const std::string page, ParityPage(report, reference));
    RETURN_IF_ERROR(OutputFile::WriteWhole(ResolveUserPath(*flags.html), page));
  }
  if (reduces) RETURN_IF_ERROR(ReduceModel(flags, model, reference, report));
  if (report.passed()) return absl::OkStatus();
  if (!report.divergence && report.settings.differences.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(reference.path, ": on right input ",
                                                      Counted(report.suspects->size(), "module"),
                                                      " would be wrong, though all tensors pass on the model's own"));
  }
  if (!report.divergence) {
    return absl::FailedPreconditionError(absl::StrCat(reference.path, ": ", report.settings.differences.size(),
                                                      " settings differ, though all tensors pass"));
  }
  return absl::FailedPreconditionError(
      absl::StrCat(reference.path, ": the model diverges at ", report.divergence->stage));
}

// Makes sure that there is something to do.
absl::Status CheckTask(const ParityFlags& flags) {
  if (!flags.reference->empty() || !flags.save_stages->empty() || *flags.find_nan || !flags.precision->empty()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError("--reference is missing: a safetensors file, or a TorchScript file");
}

absl::Status Parity(const ParityFlags& flags) {
  ASSIGN_OR_RETURN(const CompareOptions options, ParseCompareOptions(flags));
  RETURN_IF_ERROR(CheckTask(flags));
  ASSIGN_OR_RETURN(Loaded loaded, Load(flags));
  absl::optional<Reference> reference;
  if (!flags.reference->empty()) {
    const std::string names = flags.names->empty() ? "" : ResolveUserPath(*flags.names);
    ASSIGN_OR_RETURN(reference, LoadReference(ResolveUserPath(*flags.reference), names, loaded.model));
    RETURN_IF_ERROR(SetKnobs(*reference, loaded.model));
  }
  RETURN_IF_ERROR(CheckOutputs(flags));
  if (!flags.save_stages->empty()) RETURN_IF_ERROR(SaveStages(loaded, reference, ResolveUserPath(*flags.save_stages)));
  if (*flags.find_nan) return FindNan(loaded.model, reference);
  if (!flags.precision->empty()) return SearchPrecision(flags, loaded, reference);
  return reference ? Check(flags, loaded.model, *reference, options) : absl::OkStatus();
}

}  // namespace

Command ParityCommand() {
  return {
      .name = "parity",
      .summary =
          "Compares a model with what its upstream computed, stage by stage, and locates what differs. Exit status 1 "
          "if something does.",
      .begin = TakesFlags<ParityFlags>(Parity),
  };
}

}  // namespace modelport
