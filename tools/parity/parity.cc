// Compares a model with a reference of its upstream, stage by stage.
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
#include "common/torchscript/parity/reference_call.h"
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

FlagGroup flags;
Flag<std::string> FLAGS_artifact(
    flags, "artifact", "",
    "a TorchScript file to compare instead of --model; parity runs its code, which may not reach files or other "
    "processes");
Flag<std::string> FLAGS_reference(
    flags, "reference", "",
    "what upstream computed: a safetensors file, which tools/reference/dump_stages.py writes, or a TorchScript "
    "file, which is called as the plugin's first example says");
Flag<std::string> FLAGS_names(
    flags, "names", "",
    "a YAML file that pairs the reference's names with the model's: modules: {encoder.layer: blocks, pooler: null} "
    "and settings: {num_heads: heads}");
Flag<absl::optional<double>> FLAGS_tolerance(
    flags, "tolerance", absl::nullopt,
    "how far elements may be from the reference's, as a part of each tensor's largest element; by default it "
    "follows from the rounding of the model, measured in float64");
Flag<std::vector<std::string>> FLAGS_inject(
    flags, "inject", {},
    "stages, with commas between, at which the reference's tensors replace the model's own: blocks.2 for a "
    "result, \"input of blocks.2\" for all inputs");
Flag<bool> FLAGS_bisect(
    flags, "bisect", false,
    "find each module that is wrong on right input: it gets the reference's inputs, and the reference's results "
    "from the modules that it calls");
Flag<std::string> FLAGS_reduce(
    flags, "reduce", "",
    "with --bisect: write the smallest module that is wrong on right input to this folder, as a .pt file that runs "
    "alone, and a reference with its inputs and the outputs that are expected");
Flag<std::string> FLAGS_from_stage(
    flags, "from_stage", "",
    "begin at this stage, such as blocks.20: what comes before is not computed, but taken from the reference, which "
    "may be one of --save_stages");
Flag<bool> FLAGS_find_nan(
    flags, "find_nan", false,
    "find the first operator that makes a NaN or an infinity; called as --reference says, or without one as the "
    "plugin's first example");
Flag<std::string> FLAGS_precision(
    flags, "precision", "",
    "float16 or bfloat16: tell which modules lose most in it, and which must stay in float32; called as "
    "--reference says, or without one as the plugin's first example");
Flag<double> FLAGS_keep_error(
    flags, "keep_error", 0.01,
    "with --precision: the error that the outputs may have, as a part of their largest element");
Flag<bool> FLAGS_all(flags, "all", false, "print a row for every stage, not only for those that matter first");
Flag<bool> FLAGS_json(flags, "json", false, "print JSON, with every tensor");
Flag<std::string> FLAGS_html(
    flags, "html", "",
    "write a page for a browser: the difference of each stage as a curve, a tree of the modules, and pictures");
Flag<std::string> FLAGS_save_stages(
    flags, "save_stages", "",
    "write what the model itself computes to this safetensors file, a reference; called as --reference says, or "
    "without one as the plugin's first example");

absl::StatusOr<CompareOptions> ParseCompareOptions() {
  CompareOptions options = {.tolerance = *FLAGS_tolerance,
                            .inject = *FLAGS_inject,
                            .from_stage = *FLAGS_from_stage,
                            .keep_tensors = !FLAGS_html->empty()};
  if (!options.tolerance || (std::isfinite(*options.tolerance) && *options.tolerance >= 0)) return options;
  return absl::InvalidArgumentError(absl::StrCat("--tolerance=", *options.tolerance, ": wants a number from 0"));
}

// A model and what it borrows from.
struct Loaded {
  absl::optional<ExportRequest> request;
  absl::optional<Artifact> built;
  ComparedModel model;
};

absl::StatusOr<Loaded> Load() {
  Loaded loaded;
  if (!FLAGS_artifact->empty()) {
    if (!FLAGS_model->empty()) return absl::InvalidArgumentError("give --model or --artifact, not both");
    ASSIGN_OR_RETURN(loaded.model, LoadComparedArtifact(ResolveUserPath(*FLAGS_artifact)));
    return loaded;
  }
  ASSIGN_OR_RETURN(loaded.request, ParseExportRequest(BuiltInPlugins()));
  const ArtifactRequest& request = loaded.request->options.request;
  ASSIGN_OR_RETURN(loaded.built, Build(loaded.request->registry, request));
  loaded.model = {request.entry.variant->name, loaded.built->built->module, loaded.built->examples};
  return loaded;
}

// An output must not replace an input or the other output. All inputs have been read.
absl::Status CheckOutputs() {
  for (const Flag<std::string>* flag : {&FLAGS_save_stages, &FLAGS_html}) {
    if (!(*flag)->empty()) RETURN_IF_ERROR(CheckReplacesNoInput(ResolveUserPath(**flag)));
  }
  if (FLAGS_html->empty() || FLAGS_save_stages->empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const OutputPlace stages, FindOutputPlace(ResolveUserPath(*FLAGS_save_stages)));
  ASSIGN_OR_RETURN(const OutputPlace page, FindOutputPlace(ResolveUserPath(*FLAGS_html)));
  if (stages.Path() != page.Path()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--html=", *FLAGS_html, ": is the file of --save_stages, too; give each a file of its own"));
}

// Writes the model's own stages. `reference` has the call; nullopt for the first example.
absl::Status SaveStages(const ComparedModel& model, const absl::optional<Reference>& reference) {
  const std::string path = ResolveUserPath(*FLAGS_save_stages);
  ASSIGN_OR_RETURN(const Reference own, RecordModel(model, reference, path));
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

absl::Status SearchPrecision(const Loaded& loaded, const absl::optional<Reference>& reference) {
  const ComparedModel& model = loaded.model;
  const std::string flag = *FLAGS_precision;
  const double error = *FLAGS_keep_error;
  if (flag != "float16" && flag != "bfloat16") {
    return absl::InvalidArgumentError(absl::StrCat("--precision=", flag, ": wants float16 or bfloat16"));
  }
  if (loaded.request && loaded.request->options.request.dtype != DType::kFloat32) {
    return absl::InvalidArgumentError("--precision compares with float32: leave out --dtype");
  }
  const at::ScalarType type = flag == "float16" ? at::kHalf : at::kBFloat16;
  ASSIGN_OR_RETURN(const Reference own, RecordModel(model, reference, model.name));
  ASSIGN_OR_RETURN(const std::vector<ComparedTensor> losses, FindLosses(model.module, own, type));
  ASSIGN_OR_RETURN(const MixedPrecision mixed, FindMixedPrecision(model.module, own, type, losses, error));
  std::cout << (*FLAGS_json
                    ? PrecisionJson(model.name, flag, losses, mixed)
                    : PrecisionText(model.name, flag, losses, mixed, error, *FLAGS_all ? Rows::kAll : Rows::kFirst));
  return absl::OkStatus();
}

// Writes the smallest module that is wrong, and tells how to run it.
absl::Status ReduceModel(const ComparedModel& model, const Reference& reference, const ParityReport& report) {
  if (!report.smallest) {
    std::cerr << "--reduce: no module is wrong on inputs that the reference tells; nothing is written\n";
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const SavedReduction saved,
                   SaveReduction(model, reference, *report.smallest, ResolveUserPath(*FLAGS_reduce)));
  (*FLAGS_json ? std::cerr : std::cout) << ReductionText(*report.smallest, saved);
  return absl::OkStatus();
}

absl::Status Check(const ComparedModel& model, const Reference& reference, const CompareOptions& options) {
  const bool reduces = !FLAGS_reduce->empty();
  ASSIGN_OR_RETURN(const ParityReport report, CheckParity(model, reference, options, *FLAGS_bisect || reduces));
  std::cout << (*FLAGS_json ? ParityJson(report) : ParityText(report, *FLAGS_all ? Rows::kAll : Rows::kFirst));
  if (!FLAGS_html->empty()) {
    ASSIGN_OR_RETURN(const std::string page, ParityPage(report, reference));
    RETURN_IF_ERROR(OutputFile::WriteWhole(ResolveUserPath(*FLAGS_html), page));
  }
  if (reduces) RETURN_IF_ERROR(ReduceModel(model, reference, report));
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

// Flags that change how a model is compared, without one to compare with, would do nothing.
absl::Status CheckFlags() {
  if (!FLAGS_reference->empty()) return absl::OkStatus();
  for (const Flag<std::string>* flag : {&FLAGS_names, &FLAGS_from_stage, &FLAGS_reduce, &FLAGS_html}) {
    if (!(*flag)->empty())
      return absl::InvalidArgumentError(absl::StrCat("--", flag->name(), " is for --reference=FILE"));
  }
  if (!FLAGS_save_stages->empty() || *FLAGS_find_nan || !FLAGS_precision->empty()) return absl::OkStatus();
  return absl::InvalidArgumentError("--reference is missing: a safetensors file, or a TorchScript file");
}

absl::Status Parity() {
  ASSIGN_OR_RETURN(const CompareOptions options, ParseCompareOptions());
  RETURN_IF_ERROR(CheckFlags());
  ASSIGN_OR_RETURN(Loaded loaded, Load());
  absl::optional<Reference> reference;
  if (!FLAGS_reference->empty()) {
    const std::string names = FLAGS_names->empty() ? "" : ResolveUserPath(*FLAGS_names);
    ASSIGN_OR_RETURN(reference, LoadReference(ResolveUserPath(*FLAGS_reference), names, loaded.model));
    ASSIGN_OR_RETURN(loaded.model.module, WithKnobs(loaded.model.module, *reference));
  }
  RETURN_IF_ERROR(CheckOutputs());
  if (!FLAGS_save_stages->empty()) RETURN_IF_ERROR(SaveStages(loaded.model, reference));
  if (*FLAGS_find_nan) return FindNan(loaded.model, reference);
  if (!FLAGS_precision->empty()) return SearchPrecision(loaded, reference);
  return reference ? Check(loaded.model, *reference, options) : absl::OkStatus();
}

FlagGroup ParityFlags() {
  static FlagGroup own;
  static const FlagWithHelp model(
      own, FLAGS_model,
      absl::StrCat("the variant to compare, such as dav2_vits; ", ToolCall("list"),
                   " shows all; by default the one that --checkpoint fits, if there is only one"));
  // The model is not written.
  return flags + own + Without(ExportFlags(), {"model", "out", "verify", "allow_nonfinite", "sizes", "opset"});
}

}  // namespace

Command ParityCommand() {
  return {
      .name = "parity",
      .summary =
          "Compares a model with what its upstream computed, stage by stage, and locates what differs. Exit status 1 "
          "if something does.",
      .flags = ParityFlags(),
      .run = TakesFlags(Parity),
  };
}

}  // namespace modelport
