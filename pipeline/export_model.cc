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

// Saves the module, then audits its weights, while the hashing, which takes longer than the writing, goes on. Returns
// the artifact's size.
absl::StatusOr<int64_t> SaveAndAudit(const torch::jit::Module& module, const MappedWeights& weights,
                                     const BoundTensors& bound, const ExportOptions& options, OutputFile& file,
                                     BackgroundSha256& sha256) {
  Progress progress("write", TotalBytes(bound));
  const auto on_bytes = [&](int64_t bytes) { progress.Add(bytes); };
  const absl::StatusOr<int64_t> size = SaveModule(module, options.runtime, file, sha256, on_bytes);
  // Writing bytes that the checkpoint has no longer is an error of the system, which would be taken for one of `file`.
  RETURN_IF_ERROR(weights.checkpoint.CheckUnchanged());
  RETURN_IF_ERROR(size.status());
  RETURN_IF_ERROR(AuditStorages(weights.checkpoint, weights.plan));
  RETURN_IF_ERROR(AuditValues(weights.checkpoint, weights.plan, weights.tree, bound, options.allow_nonfinite));
  return size;
}

// Makes the round trip, if it is asked for.
absl::StatusOr<absl::optional<RoundTrip>> Prove(const torch::jit::Module& module, const OutputFile& file, int64_t size,
                                                const std::vector<Call>& examples, const ExportOptions& options) {
  if (!options.prove) return absl::nullopt;
  Progress progress("prove", size);
  absl::StatusOr<RoundTrip> proven =
      ProveRoundTrip(module, file.ReadablePath(), examples, [&](int64_t bytes) { progress.Add(bytes); });
  if (!proven.ok()) return Annotate(proven.status(), absl::StrCat(options.out, ": the round trip failed"));
  return *std::move(proven);
}

// Writes the manifest, and gives both files their names.
absl::Status Commit(const Manifest& manifest, OutputFile& artifact, OutputFile& manifest_file) {
  ASSIGN_OR_RETURN(const std::string json, WriteManifest(manifest));
  RETURN_IF_ERROR(manifest_file.Write(json));
  // A disk that is full shows here at the latest, when neither file has its name yet.
  RETURN_IF_ERROR(manifest_file.Sync());
  RETURN_IF_ERROR(artifact.Commit());
  return manifest_file.Commit();
}

}  // namespace

absl::StatusOr<Manifest> ExportModel(const Registry& registry, const CatalogEntry& entry,
                                     const ExportOptions& options) {
  ASSIGN_OR_RETURN(const ModuleTree tree, BuildTargetTree(*entry.plugin, *entry.variant, *options.target));
  if (!options.checkpoint.empty()) RETURN_IF_ERROR(CheckNotSameFile(options.out, options.checkpoint));
  ASSIGN_OR_RETURN(OutputFile artifact, OutputFile::Create(options.out));
  ASSIGN_OR_RETURN(OutputFile manifest_file, OutputFile::Create(ManifestPath(options.out)));

  ASSIGN_OR_RETURN(const MappedWeights weights,
                   MapWeights(registry, entry, options.checkpoint, options.seed, options.source));
  ASSIGN_OR_RETURN(const BoundTensors bound,
                   BindTensors(weights.checkpoint, weights.plan, weights.tree, options.dtype));
  ASSIGN_OR_RETURN(const torch::jit::Module module,
                   BuildTargetModule(tree, bound.tensors, *options.target, options.runtime));
  const std::vector<Operator> operators = CollectOperators(module);
  RETURN_IF_ERROR(CheckRuns(entry, operators, options.runtime));
  // The digests may be done as late as the proof is.
  BackgroundSha256 sha256(options.checkpoint.empty() ? "" : weights.checkpoint.bytes());
  ASSIGN_OR_RETURN(const int64_t size, SaveAndAudit(module, weights, bound, options, artifact, sha256));
  ASSIGN_OR_RETURN(const absl::optional<RoundTrip> round_trip,
                   Prove(module, artifact, TotalBytes(bound), TargetExamples(entry, *options.target), options));
  ASSIGN_OR_RETURN(const ArchiveFormat format, ReadArchiveFormat(artifact.ReadablePath()));
  const std::string source = options.checkpoint.empty() ? absl::StrCat("seeded:v1:", options.seed)
                                                        : absl::StrCat("sha256:", sha256.BesideHexDigest());
  const Manifest manifest = DescribeExport({.entry = entry,
                                            .target = *options.target,
                                            .root = tree.root,
                                            .weights = weights,
                                            .bound = bound,
                                            .module = module,
                                            .operators = operators,
                                            .format = format,
                                            .artifact_size = size,
                                            .artifact_sha256 = sha256.HexDigest(),
                                            .round_trip = round_trip,
                                            .source = source,
                                            .dtype = options.dtype,
                                            .runtime = options.runtime});
  RETURN_IF_ERROR(weights.checkpoint.CheckUnchanged());
  RETURN_IF_ERROR(Commit(manifest, artifact, manifest_file));
  return manifest;
}

}  // namespace modelport
