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

Audit AuditWeights(const MappedWeights& weights, const BoundTensors& bound, bool is_file, bool allow_nonfinite) {
  Audit audit;
  audit.status = AuditStorages(weights.checkpoint, weights.plan);
  if (audit.status.ok()) {
    audit.status = AuditValues(weights.checkpoint, weights.plan, weights.tree, bound, allow_nonfinite);
  }
  if (audit.status.ok() && is_file) audit.digest = FileDigest(weights.checkpoint);
  return audit;
}

int64_t TotalBytes(const BoundTensors& bound) {
  int64_t bytes = 0;
  for (const at::Tensor& tensor : bound.tensors) bytes += tensor.nbytes();
  return bytes;
}

absl::StatusOr<SavedModule> Save(const torch::jit::Module& module, const BoundTensors& bound, OutputFile& file) {
  Progress progress("write", TotalBytes(bound));
  return SaveModule(module, file, [&](int64_t bytes) { progress.Add(bytes); });
}

}  // namespace

absl::StatusOr<Manifest> ExportModel(const Registry& registry, const CatalogEntry& entry,
                                     const ExportOptions& options) {
  const bool is_file = !options.checkpoint.empty();
  if (is_file) RETURN_IF_ERROR(CheckNotSameFile(options.out, options.checkpoint));
  ASSIGN_OR_RETURN(const MappedWeights weights,
                   MapWeights(registry, entry, options.checkpoint, options.seed, options.layout));
  ASSIGN_OR_RETURN(const BoundTensors bound,
                   BindTensors(weights.checkpoint, weights.plan, weights.tree, options.dtype));
  // Reading all weights for their digest takes as long as writing them, so the two go side by side.
  std::future<Audit> audit = std::async(std::launch::async, AuditWeights, std::cref(weights), std::cref(bound), is_file,
                                        options.allow_nonfinite);

  ASSIGN_OR_RETURN(const torch::jit::Module module, BuildModule(weights.tree, bound.tensors));
  ASSIGN_OR_RETURN(OutputFile artifact, OutputFile::Create(options.out));
  ASSIGN_OR_RETURN(OutputFile manifest_file, OutputFile::Create(ManifestPath(options.out)));
  ASSIGN_OR_RETURN(const SavedModule saved, Save(module, bound, artifact));

  RoundTrip round_trip;
  if (options.prove) {
    absl::StatusOr<RoundTrip> proven = ProveRoundTrip(module, artifact.ReadablePath(), entry.plugin->examples);
    if (!proven.ok()) return Annotate(proven.status(), absl::StrCat(options.out, ": the round trip failed"));
    round_trip = *std::move(proven);
  }
  Audit audited = audit.get();
  RETURN_IF_ERROR(audited.status);

  const std::string source =
      is_file ? absl::StrCat("sha256:", audited.digest) : absl::StrCat("seeded:v1:", options.seed);
  ASSIGN_OR_RETURN(Manifest manifest, DescribeExport({.entry = entry,
                                                      .weights = weights,
                                                      .bound = bound,
                                                      .module = module,
                                                      .artifact_path = artifact.ReadablePath(),
                                                      .saved = saved,
                                                      .round_trip = options.prove ? &round_trip : nullptr,
                                                      .source = source,
                                                      .dtype = options.dtype}));
  ASSIGN_OR_RETURN(const std::string json, WriteManifest(manifest));
  RETURN_IF_ERROR(manifest_file.Write(json));
  RETURN_IF_ERROR(artifact.Commit());
  RETURN_IF_ERROR(manifest_file.Commit());
  return manifest;
}

}  // namespace modelport
