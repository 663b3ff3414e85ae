#include "pipeline/export_model.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/artifact/manifest.h"
#include "common/artifact/operators.h"
#include "common/artifact/round_trip.h"
#include "common/artifact/save_module.h"
#include "common/artifact/target.h"
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

// Builds the module and makes sure that the runtime which it is for can run it.
absl::StatusOr<torch::jit::Module> Build(const ModuleTree& tree, const BoundTensors& bound, const Target& target,
                                         const CatalogEntry& entry, const absl::optional<Runtime>& runtime) {
  ASSIGN_OR_RETURN(torch::jit::Module module, BuildTargetModule(tree, bound, target, runtime));
  if (!runtime) return module;
  const absl::Status can_run = CheckRuntime(*runtime, FormatFor(*runtime), CollectOperators(module));
  if (!can_run.ok()) return Annotate(can_run, entry.variant->name);
  return module;
}

// Saves the module, then audits its weights, while the hashing, which takes longer than the writing, goes on.
absl::Status SaveAndAudit(const torch::jit::Module& module, const MappedWeights& weights, const BoundTensors& bound,
                          const ExportOptions& options, OutputFile& file, BackgroundSha256& sha256) {
  Progress progress("write", TotalBytes(bound));
  const auto on_bytes = [&](int64_t bytes) { progress.Add(bytes); };
  RETURN_IF_ERROR(SaveModule(module, options.runtime, file, sha256, on_bytes).status());
  RETURN_IF_ERROR(AuditStorages(weights.checkpoint, weights.plan));
  return AuditValues(weights.checkpoint, weights.plan, weights.tree, bound, options.allow_nonfinite);
}

absl::StatusOr<RoundTrip> Prove(const torch::jit::Module& module, const OutputFile& file, int64_t size,
                                const std::vector<Call>& examples) {
  Progress progress("prove", size);
  return ProveRoundTrip(module, file.ReadablePath(), examples, [&](int64_t bytes) { progress.Add(bytes); });
}

}  // namespace

absl::StatusOr<Manifest> ExportModel(const Registry& registry, const CatalogEntry& entry,
                                     const ExportOptions& options) {
  ASSIGN_OR_RETURN(const Target* target, FindTarget(options.target));
  ASSIGN_OR_RETURN(const ModuleTree tree, BuildTargetTree(*entry.plugin, *entry.variant, *target));
  if (!options.checkpoint.empty()) RETURN_IF_ERROR(CheckNotSameFile(options.out, options.checkpoint));
  ASSIGN_OR_RETURN(OutputFile artifact, OutputFile::Create(options.out));
  ASSIGN_OR_RETURN(OutputFile manifest_file, OutputFile::Create(ManifestPath(options.out)));

  ASSIGN_OR_RETURN(const MappedWeights weights,
                   MapWeights(registry, entry, options.checkpoint, options.seed, options.layout));
  ASSIGN_OR_RETURN(const BoundTensors bound,
                   BindTensors(weights.checkpoint, weights.plan, weights.tree, options.dtype));
  ASSIGN_OR_RETURN(const torch::jit::Module module, Build(tree, bound, *target, entry, options.runtime));
  // The digests may be done as late as the proof is.
  BackgroundSha256 sha256(options.checkpoint.empty() ? "" : weights.checkpoint.bytes());
  RETURN_IF_ERROR(SaveAndAudit(module, weights, bound, options, artifact, sha256));
  absl::optional<RoundTrip> round_trip;
  if (options.prove) {
    absl::StatusOr<RoundTrip> proven = Prove(module, artifact, TotalBytes(bound), TargetExamples(entry, *target));
    if (!proven.ok()) return Annotate(proven.status(), absl::StrCat(options.out, ": the round trip failed"));
    round_trip = *std::move(proven);
  }
  const std::string source = options.checkpoint.empty() ? absl::StrCat("seeded:v1:", options.seed)
                                                        : absl::StrCat("sha256:", sha256.BesideHexDigest());
  ASSIGN_OR_RETURN(Manifest manifest, DescribeExport({.entry = entry,
                                                      .target = target->name,
                                                      .knobs = tree.root.knobs,
                                                      .weights = weights,
                                                      .bound = bound,
                                                      .module = module,
                                                      .artifact_path = artifact.ReadablePath(),
                                                      .artifact_sha256 = sha256.HexDigest(),
                                                      .round_trip = round_trip,
                                                      .source = source,
                                                      .dtype = options.dtype,
                                                      .runtime = options.runtime}));
  ASSIGN_OR_RETURN(const std::string json, WriteManifest(manifest));
  RETURN_IF_ERROR(manifest_file.Write(json));
  // A disk that is full shows here at the latest, when neither file has its name yet.
  RETURN_IF_ERROR(manifest_file.Sync());
  RETURN_IF_ERROR(artifact.Commit());
  RETURN_IF_ERROR(manifest_file.Commit());
  return manifest;
}

}  // namespace modelport
