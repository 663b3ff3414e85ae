#include "pipeline/export_model.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/artifact/archive_format.h"
#include "common/artifact/manifest.h"
#include "common/artifact/operators.h"
#include "common/artifact/round_trip.h"
#include "common/artifact/runtime_obstacles.h"
#include "common/artifact/save_module.h"
#include "common/io/background_sha256.h"
#include "common/io/output_file.h"
#include "common/progress/progress.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/weights/audit.h"
#include "common/weights/bind_tensors.h"
#include "pipeline/describe_export.h"
#include "pipeline/export_outputs.h"
#include "pipeline/target_module.h"
#include "pipeline/weight_source.h"
#include "registry/target_tree.h"

namespace modelport {
namespace {

int64_t TotalBytes(const BoundTensors& bound) {
  int64_t bytes = 0;
  for (const at::Tensor& tensor : bound.tensors) bytes += tensor.nbytes();
  return bytes;
}

// Makes sure that the runtime which the artifact is for can run it.
absl::Status CheckRuns(const CatalogEntry& entry, const std::vector<Operator>& operators, const Runtime* runtime) {
  if (runtime == nullptr) return absl::OkStatus();
  return Annotate(CheckRuntime(*runtime, FormatFor(*runtime), operators), entry.variant->name);
}

// The files that an export reads, as far as they lie outside the program.
std::vector<std::string> InputFiles(const Registry& registry, const ExportOptions& options) {
  std::vector<std::string> files = registry.files();
  if (!options.checkpoint.empty()) files.push_back(options.checkpoint);
  return files;
}

std::string SourceName(const ExportOptions& options, BackgroundSha256& sha256) {
  if (options.checkpoint.empty()) return absl::StrCat("seeded:v1:", options.seed);
  return absl::StrCat("sha256:", sha256.BesideHexDigest());
}

// Saves the module with the manifest in it, to which it adds the source. The weights are audited when they have been
// written, while the hashing, which takes longer, goes on. Returns the artifact's size.
absl::StatusOr<int64_t> SaveAndAudit(const torch::jit::Module& module, const MappedWeights& weights,
                                     const BoundTensors& bound, const ExportOptions& options, OutputFile& file,
                                     BackgroundSha256& sha256, Manifest& manifest) {
  Progress progress("write", TotalBytes(bound));
  const auto on_bytes = [&](int64_t bytes) { progress.Add(bytes); };
  const auto audit_and_describe = [&]() -> absl::StatusOr<std::string> {
    RETURN_IF_ERROR(AuditStorages(weights.checkpoint, weights.plan));
    RETURN_IF_ERROR(AuditValues(weights.checkpoint, weights.plan, weights.tree, bound, options.allow_nonfinite));
    DescribeSource(SourceName(options, sha256), weights, bound, manifest);
    return WriteManifest(manifest);
  };
  const absl::StatusOr<int64_t> size =
      SaveModule(module, options.runtime, file, sha256, on_bytes, {{kManifestExtraFile, audit_and_describe}});
  // Writing bytes that the checkpoint has no longer is an error of the system, which would be taken for one of `file`.
  RETURN_IF_ERROR(weights.checkpoint.CheckUnchanged());
  return size;
}

// Makes sure that the file is of the format that its manifest was made for.
absl::Status CheckFormat(const OutputFile& file, const ArchiveFormat& format, const ExportOptions& options) {
  ASSIGN_OR_RETURN(const ArchiveFormat written, ReadArchiveFormat(file.ReadablePath()));
  if (written.version == format.version && written.new_records == format.new_records) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat(options.out, ": wants archive version ", format.version, ", has ", written.version));
}

// Makes the round trip, if it is asked for.
absl::StatusOr<absl::optional<RoundTrip>> Prove(const torch::jit::Module& module, const OutputFile& file, int64_t size,
                                                const std::vector<Call>& examples, const ExportOptions& options) {
  if (!options.prove) return absl::nullopt;
  Progress progress("prove", size);
  absl::StatusOr<RoundTrip> proven = ProveRoundTrip(module, file.ReadablePath(), examples, options.allow_nonfinite,
                                                    [&](int64_t bytes) { progress.Add(bytes); });
  // An example that cannot run is the plugin's fault, whose line it names, and says nothing of the artifact.
  if (absl::IsInvalidArgument(proven.status())) return proven.status();
  if (!proven.ok()) return Annotate(proven.status(), absl::StrCat(options.out, ": the round trip failed"));
  return *std::move(proven);
}

// Writes the manifest, and gives both files their names.
absl::Status Commit(const Manifest& manifest, ExportOutputs& outputs) {
  ASSIGN_OR_RETURN(const std::string json, WriteManifest(manifest));
  RETURN_IF_ERROR(outputs.manifest.Write(json));
  return OutputFile::CommitTogether({&outputs.artifact, &outputs.manifest});
}

}  // namespace

absl::StatusOr<Manifest> ExportModel(const Registry& registry, const CatalogEntry& entry,
                                     const ExportOptions& options) {
  ASSIGN_OR_RETURN(const ModuleTree tree, BuildTargetTree(*entry.plugin, *entry.variant, *options.target));
  ASSIGN_OR_RETURN(ExportOutputs outputs, OpenExportOutputs(options.out, InputFiles(registry, options)));

  ASSIGN_OR_RETURN(const MappedWeights weights,
                   MapWeights(registry, entry, options.checkpoint, options.seed, options.source));
  ASSIGN_OR_RETURN(const BoundTensors bound,
                   BindTensors(weights.checkpoint, weights.plan, weights.tree, options.dtype));
  ASSIGN_OR_RETURN(const torch::jit::Module module,
                   BuildTargetModule(tree, bound.tensors, *options.target, options.runtime));
  const std::vector<Operator> operators = CollectOperators(module);
  RETURN_IF_ERROR(CheckRuns(entry, operators, options.runtime));
  const ArchiveFormat format = WrittenFormat(options.runtime, operators);
  Manifest manifest = DescribeModule({.entry = entry,
                                      .target = *options.target,
                                      .tree = tree,
                                      .module = module,
                                      .operators = operators,
                                      .format = format,
                                      .dtype = options.dtype,
                                      .runtime = options.runtime});
  BackgroundSha256 sha256(options.checkpoint.empty() ? "" : weights.checkpoint.bytes());
  ASSIGN_OR_RETURN(const int64_t size,
                   SaveAndAudit(module, weights, bound, options, outputs.artifact, sha256, manifest));
  RETURN_IF_ERROR(CheckFormat(outputs.artifact, format, options));
  ASSIGN_OR_RETURN(const absl::optional<RoundTrip> round_trip,
                   Prove(module, outputs.artifact, TotalBytes(bound), TargetExamples(entry, *options.target), options));
  // Hashing the artifact goes on until here.
  DescribeFile(sha256.HexDigest(), size, format, manifest);
  DescribeProof(round_trip, manifest);
  RETURN_IF_ERROR(weights.checkpoint.CheckUnchanged());
  RETURN_IF_ERROR(Commit(manifest, outputs));
  return manifest;
}

}  // namespace modelport
