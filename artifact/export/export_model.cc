#include "artifact/export/export_model.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "artifact/build/build_artifact.h"
#include "artifact/build/formats.h"
#include "artifact/export/export_outputs.h"
#include "artifact/manifest/describe_export.h"
#include "common/io/output_file.h"
#include "common/manifest/manifest.h"
#include "common/progress/progress.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/torchscript/proof/proof_result.h"

namespace modelport {
namespace {

absl::Status CheckDType(DType dtype, const Target& target) {
  const std::vector<DType>& known = target.dtypes;
  if (known.empty() || std::count(known.begin(), known.end(), dtype) > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--dtype=", DTypeName(dtype), ": ", target.name, " computes in ",
      absl::StrJoin(known, " or ", [](std::string* out, DType one) { absl::StrAppend(out, DTypeName(one)); })));
}

absl::Status CheckCanProve(const Target& target) {
  const absl::Status status = FormatOf(target).CheckCanProve();
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(status.message(), "; --noverify exports without a proof"));
}

// Checks that the host can use an artifact with this manifest.
absl::Status CheckManifestForHost(const Manifest& manifest, const Target& target) {
  if (target.check == nullptr) return absl::OkStatus();
  return Annotate(target.check(manifest), manifest.model());
}

// Writes the module to `out` with the manifest in it, to which it adds the source. The weights are audited after they
// were written, while the checkpoints are still being hashed.
absl::Status WriteAndAudit(const Registry& registry, const ExportOptions& options, FormattedArtifact& formatted,
                           Writer& out) {
  const ArtifactRequest& request = options.request;
  const ArtifactWeights& weights = formatted.artifact.weights;
  WeightsAudit audit(request, formatted);
  const auto audit_and_describe = [&]() -> absl::StatusOr<std::string> {
    RETURN_IF_ERROR(audit.Finish(registry, options.allow_nonfinite));
    return WriteManifest(ManifestWithin(formatted.manifest));
  };
  Progress progress("write", TotalBytes(weights.bound));
  ProgressWriter writer(out, progress);
  const absl::Status written = formatted.prepared->Write(audit_and_describe, writer);
  // If a checkpoint became shorter, writing fails with a system error that seems to be about `out`: this one comes
  // first.
  RETURN_IF_ERROR(CheckUnchanged(weights));
  return written;
}

// Makes the round trip, if it is asked for.
absl::StatusOr<absl::optional<RoundTrip>> Prove(const FormattedArtifact& formatted, const OutputFile& file,
                                                const ExportOptions& options) {
  if (!options.prove) return absl::nullopt;
  const Artifact& artifact = formatted.artifact;
  Progress progress("prove", TotalBytes(artifact.weights.bound));
  const ProvenCalls calls = {artifact.examples, artifact.tree.whole->entry_points, options.allow_nonfinite};
  absl::StatusOr<RoundTrip> proven =
      formatted.prepared->Prove(file.ReadablePath(), calls, [&](int64_t bytes) { progress.Add(bytes); });
  // An example that cannot run is a fault of the plugin, and the message names its line.
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

absl::StatusOr<Manifest> Export(const Registry& registry, const ExportOptions& options) {
  const ArtifactRequest& request = options.request;
  RETURN_IF_ERROR(CheckDType(request.dtype, *request.target));
  if (options.prove) RETURN_IF_ERROR(CheckCanProve(*request.target));
  ASSIGN_OR_RETURN(ArtifactPlan plan, PlanArtifact(registry, request));
  // All inputs are open now, so that an output that would replace one is refused before anything is computed.
  ASSIGN_OR_RETURN(ExportOutputs outputs, OpenExportOutputs(options.out));
  ASSIGN_OR_RETURN(Artifact artifact, BuildArtifact(request, std::move(plan), absl::StrCat(options.out, ".weights")));
  ASSIGN_OR_RETURN(FormattedArtifact formatted, FormatArtifact(request, std::move(artifact)));
  const PreparedArtifact& prepared = *formatted.prepared;
  Manifest& manifest = formatted.manifest;
  RETURN_IF_ERROR(prepared.CheckCanRun());
  HashingWriter writer(outputs.artifact);
  RETURN_IF_ERROR(WriteAndAudit(registry, options, formatted, writer));
  RETURN_IF_ERROR(prepared.CheckWritten(outputs.artifact.ReadablePath(), options.out));
  ASSIGN_OR_RETURN(const absl::optional<RoundTrip> round_trip, Prove(formatted, outputs.artifact, options));
  // The disk writes while the background thread hashes what is left.
  RETURN_IF_ERROR(outputs.artifact.Sync());
  DescribeFile(writer.HexDigest(), writer.size(), manifest);
  prepared.DescribeFile(*manifest.mutable_artifact());
  DescribeProof(round_trip, manifest);
  RETURN_IF_ERROR(CheckManifestForHost(manifest, *request.target));
  RETURN_IF_ERROR(CheckUnchanged(formatted.artifact.weights));
  RETURN_IF_ERROR(Commit(manifest, outputs));
  return std::move(formatted.manifest);
}

}  // namespace

absl::StatusOr<Manifest> ExportModel(const Registry& registry, const ExportOptions& options) {
  absl::StatusOr<Manifest> manifest = Export(registry, options);
  if (!manifest.ok()) return WithPaths(manifest.status(), options.request);
  return manifest;
}

}  // namespace modelport
