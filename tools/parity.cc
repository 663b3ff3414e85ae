// Compares a model with a reference of its upstream, stage by stage.
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/parity/precision.h"
#include "common/status/status_macros.h"
#include "common/tensor/dtype.h"
#include "models/embedded_plugins.h"
#include "pipeline/build_model.h"
#include "pipeline/check_parity.h"
#include "tools/commands.h"
#include "tools/export_request.h"
#include "tools/flags.h"
#include "tools/print_parity.h"
#include "tools/print_precision.h"
#include "tools/user_path.h"

namespace modelport {
namespace {

FlagGroup flags;
Flag<std::string> FLAGS_reference(
    flags, "reference", "",
    "what upstream computed: a safetensors file, which tools/reference/dump_stages.py writes, or a TorchScript "
    "file, which is called as the plugin's first example says");
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
Flag<bool> FLAGS_json(flags, "json", false, "print JSON, with every tensor");
Flag<std::string> FLAGS_save_stages(
    flags, "save_stages", "",
    "write what the model itself computes to this safetensors file, a reference; called as --reference says, or "
    "without one as the plugin's first example");

absl::StatusOr<CompareOptions> ParseCompareOptions() {
  CompareOptions options = {.tolerance = *FLAGS_tolerance, .inject = *FLAGS_inject};
  if (!options.tolerance || (std::isfinite(*options.tolerance) && *options.tolerance >= 0)) return options;
  return absl::InvalidArgumentError(absl::StrCat("--tolerance=", *options.tolerance, ": wants a number from 0"));
}

// Writes the model's own stages. `reference` has the call; nullopt for the first example.
absl::Status SaveStages(const ExportRequest& request, const BuiltModel& model,
                        const absl::optional<Reference>& reference) {
  const std::string path = ResolveUserPath(*FLAGS_save_stages);
  ASSIGN_OR_RETURN(const Reference own, RecordModel(model, request.entry.variant->name, reference, path));
  RETURN_IF_ERROR(WriteReference(own, path));
  std::cout << own.expected.size() << " tensors of " << own.model << " in " << path << "\n";
  return absl::OkStatus();
}

absl::Status FindNan(const ExportRequest& request, const BuiltModel& model,
                     const absl::optional<Reference>& reference) {
  const std::string& name = request.entry.variant->name;
  ASSIGN_OR_RETURN(const absl::optional<OperatorRun> found, FindNonfinite(model, name, reference));
  if (!found) {
    std::cout << name << ": no operator makes a NaN or an infinity\n";
    return absl::OkStatus();
  }
  const bool is_known = !found->line.place.empty();
  return absl::FailedPreconditionError(absl::StrCat(name, ": ", found->call, " makes a NaN or an infinity",
                                                    is_known ? absl::StrCat("\n  ", found->line.place) : "",
                                                    is_known ? absl::StrCat(": ", found->line.text) : ""));
}

absl::Status SearchPrecision(const ExportRequest& request, const BuiltModel& model,
                             const absl::optional<Reference>& reference) {
  const std::string name = request.entry.variant->name, flag = *FLAGS_precision;
  const double error = *FLAGS_keep_error;
  if (flag != "float16" && flag != "bfloat16") {
    return absl::InvalidArgumentError(absl::StrCat("--precision=", flag, ": wants float16 or bfloat16"));
  }
  if (request.options.dtype != DType::kFloat32) {
    return absl::InvalidArgumentError("--precision compares with float32: leave out --dtype");
  }
  const at::ScalarType type = flag == "float16" ? at::kHalf : at::kBFloat16;
  ASSIGN_OR_RETURN(const Reference own, RecordModel(model, name, reference, name));
  ASSIGN_OR_RETURN(const std::vector<ComparedTensor> losses, FindLosses(model.module, own, type));
  ASSIGN_OR_RETURN(const MixedPrecision mixed, FindMixedPrecision(model.module, own, type, losses, error));
  std::cout << PrecisionText(name, flag, losses, mixed, error);
  return absl::OkStatus();
}

absl::Status Check(const ExportRequest& request, const BuiltModel& model, const Reference& reference,
                   const CompareOptions& options) {
  ASSIGN_OR_RETURN(const ParityReport report,
                   CheckParity(model.module, request.entry.variant->name, reference, options, *FLAGS_bisect));
  std::cout << (*FLAGS_json ? ParityJson(report) : ParityText(report));
  if (report.passed()) return absl::OkStatus();
  if (!report.divergence) {
    return absl::FailedPreconditionError(absl::StrCat(reference.path, ": ", report.settings.differences.size(),
                                                      " settings differ, though all tensors pass"));
  }
  return absl::FailedPreconditionError(
      absl::StrCat(reference.path, ": the model diverges at ", report.divergence->stage));
}

absl::Status Parity() {
  ASSIGN_OR_RETURN(const CompareOptions options, ParseCompareOptions());
  const std::string path = *FLAGS_reference;
  const bool saves = !FLAGS_save_stages->empty(), finds_nan = *FLAGS_find_nan;
  const bool searches = !FLAGS_precision->empty();
  if (path.empty() && !saves && !finds_nan && !searches) {
    return absl::InvalidArgumentError("--reference is missing: a safetensors file, or a TorchScript file");
  }
  if (FLAGS_model->empty()) return ModelMissing();
  ASSIGN_OR_RETURN(const ExportRequest request, ParseExportRequest(EmbeddedPlugins()));
  ASSIGN_OR_RETURN(const BuiltModel model, BuildModel(request.registry, request.entry, request.options));
  absl::optional<Reference> reference;
  if (!path.empty()) {
    ASSIGN_OR_RETURN(reference, LoadReference(ResolveUserPath(path), request.entry.variant->name, model));
  }
  if (saves) RETURN_IF_ERROR(SaveStages(request, model, reference));
  if (finds_nan) return FindNan(request, model, reference);
  if (searches) return SearchPrecision(request, model, reference);
  return reference ? Check(request, model, *reference, options) : absl::OkStatus();
}

}  // namespace

Command ParityCommand() {
  return {
      .name = "parity",
      .summary =
          "Compares a model with what its upstream computed, stage by stage, and locates what differs. Exit status 1 "
          "if something does.",
      .flags = flags + ExportFlags(),
      .run = TakesFlags(Parity),
  };
}

}  // namespace modelport
