#include "pipeline/export_model.h"

#include <future>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/artifact/manifest.h"
#include "common/artifact/round_trip.h"
#include "common/artifact/save_module.h"
#include "common/io/output_file.h"
#include "common/progress/progress.h"
#include "common/script/build_module.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/weights/audit.h"
#include "common/weights/bind_tensors.h"
#include "pipeline/describe_export.h"
#include "pipeline/weight_source.h"

namespace modelport {
namespace {

// What reading every byte of the weights shows.
struct Audit {
  absl::Status status;
  std::string digest;  // Of the file; empty for seeded weights.
};

Audit AuditWeights(const MappedWeights& weights, const BoundTensors& bound, const ExportOptions& options,
                   Progress& progress) {
  Audit audit;
  audit.status = AuditStorages(weights.checkpoint, weights.plan);
  if (audit.status.ok()) {
    audit.status = AuditValues(weights.checkpoint, weights.plan, weights.tree, bound, options.allow_nonfinite);
  }
  if (audit.status.ok() && !options.checkpoint.empty()) {
    audit.digest = FileDigest(weights.checkpoint, [&](int64_t bytes) { progress.Add(bytes); });
  }
  return audit;
}

int64_t TotalBytes(const BoundTensors& bound) {
  int64_t bytes = 0;
  for (const at::Tensor& tensor : bound.tensors) bytes += tensor.nbytes();
  return bytes;
}

struct AuditedArtifact {
  SavedModule saved;
  std::string source;  // "sha256:HEX" or "seeded:v1:SEED".
};

// Saves `module` into `file` and audits its weights. Reading all of them for their digest takes as long as writing
// them, so the two go side by side.
absl::StatusOr<AuditedArtifact> SaveAndAudit(const torch::jit::Module& module, const MappedWeights& weights,
                                             const BoundTensors& bound, const ExportOptions& options,
                                             OutputFile& file) {
  Progress progress("write", TotalBytes(bound) + (options.checkpoint.empty() ? 0 : weights.checkpoint.bytes().size()));
  std::future<Audit> auditing = std::async(std::launch::async, AuditWeights, std::cref(weights), std::cref(bound),
                                           std::cref(options), std::ref(progress));
  ASSIGN_OR_RETURN(const SavedModule saved, SaveModule(module, file, [&](int64_t bytes) { progress.Add(bytes); }));
  const Audit audit = auditing.get();
  RETURN_IF_ERROR(audit.status);
  return AuditedArtifact{saved, options.checkpoint.empty() ? absl::StrCat("seeded:v1:", options.seed)
                                                           : absl::StrCat("sha256:", audit.digest)};
}

absl::StatusOr<RoundTrip> Prove(const torch::jit::Module& module, const OutputFile& file, int64_t size,
                                const std::vector<Call>& examples) {
  Progress progress("prove", size);
  return ProveRoundTrip(module, file.ReadablePath(), examples, [&](int64_t bytes) { progress.Add(bytes); });
}

}  // namespace

absl::StatusOr<Manifest> ExportModel(const Registry& registry, const CatalogEntry& entry,
                                     const ExportOptions& options) {
  if (!options.checkpoint.empty()) RETURN_IF_ERROR(CheckNotSameFile(options.out, options.checkpoint));
  ASSIGN_OR_RETURN(OutputFile artifact, OutputFile::Create(options.out));
  ASSIGN_OR_RETURN(OutputFile manifest_file, OutputFile::Create(ManifestPath(options.out)));

  ASSIGN_OR_RETURN(const MappedWeights weights,
                   MapWeights(registry, entry, options.checkpoint, options.seed, options.layout));
  ASSIGN_OR_RETURN(const BoundTensors bound,
                   BindTensors(weights.checkpoint, weights.plan, weights.tree, options.dtype));
  ASSIGN_OR_RETURN(const torch::jit::Module module, BuildModule(weights.tree, bound.tensors));
  ASSIGN_OR_RETURN(const AuditedArtifact audited, SaveAndAudit(module, weights, bound, options, artifact));

  absl::optional<RoundTrip> round_trip;
  if (options.prove) {
    absl::StatusOr<RoundTrip> proven = Prove(module, artifact, audited.saved.size, entry.plugin->examples);
    if (!proven.ok()) return Annotate(proven.status(), absl::StrCat(options.out, ": the round trip failed"));
    round_trip = *std::move(proven);
  }
  ASSIGN_OR_RETURN(Manifest manifest, DescribeExport({.entry = entry,
                                                      .weights = weights,
                                                      .bound = bound,
                                                      .module = module,
                                                      .artifact_path = artifact.ReadablePath(),
                                                      .saved = audited.saved,
                                                      .round_trip = round_trip,
                                                      .source = audited.source,
                                                      .dtype = options.dtype}));
  ASSIGN_OR_RETURN(const std::string json, WriteManifest(manifest));
  RETURN_IF_ERROR(manifest_file.Write(json));
  // A disk that is full shows here at the latest, when neither file has its name yet.
  RETURN_IF_ERROR(manifest_file.Sync());
  RETURN_IF_ERROR(artifact.Commit());
  RETURN_IF_ERROR(manifest_file.Commit());
  return manifest;
}

}  // namespace modelport
