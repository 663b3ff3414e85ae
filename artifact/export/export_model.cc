#include "artifact/export/export_model.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "artifact/build/build_artifact.h"
#include "artifact/build/formats.h"
#include "artifact/export/export_outputs.h"
#include "artifact/format/artifact_format.h"
#include "artifact/manifest/describe_export.h"
#include "common/io/output_file.h"
#include "common/manifest/manifest.h"
#include "common/progress/progress.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/torchscript/proof/proof_result.h"
#include "targets/targets.h"

namespace modelport {
namespace {

// InvalidArgument: `out` ends as the files of another format do, for whose readers the file would be damaged.
absl::Status CheckEnding(const std::string& out, const Target& target) {
  for (const Target* const other : Targets()) {
    if (other->format == target.format || !absl::EndsWith(out, FormatOf(*other).ending())) continue;
    return absl::InvalidArgumentError(absl::StrCat(out, ": --target=", target.name, " makes a file that ends in ",
                                                   FormatOf(target).ending(),
                                                   ": name it so, or pass --target=", other->name));
  }
  return absl::OkStatus();
}

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
  return absl::Status(status.code(), absl::StrCat(status.message(), "\n  --noverify exports without a proof"));
}

// The files of an export with their digests.
struct HashedOutputs {
  explicit HashedOutputs(ExportOutputs& outputs) : outputs(outputs), artifact(outputs.artifact) {
    if (outputs.data) data.emplace(*outputs.data);
  }

  ExportOutputs& outputs;
  HashingWriter artifact;
  absl::optional<HashingWriter> data;
};

// Writes the module with the manifest in it, to which it adds the source. The weights are audited after they were
// written, while the checkpoints are still being hashed.
absl::Status WriteAndAudit(const Registry& registry, const ExportOptions& options, FormattedArtifact& formatted,
                           HashedOutputs& hashed) {
  const ArtifactRequest& request = options.request;
  const ArtifactWeights& weights = formatted.artifact.weights;
  WeightsAudit audit(request, formatted);
  const auto audit_and_describe = [&]() -> absl::StatusOr<std::string> {
    RETURN_IF_ERROR(audit.Finish(registry, options.allow_nonfinite));
    return WriteManifest(ManifestWithin(formatted.manifest));
  };
  Progress progress("write", TotalBytes(weights.bound));
  ProgressWriter artifact(hashed.artifact, progress);
  absl::optional<ProgressWriter> data;
  if (hashed.data) data.emplace(*hashed.data, progress);
  const absl::Status written = formatted.prepared->Write(
      audit_and_describe, {artifact, data ? &*data : nullptr, DataFileName(hashed.outputs.path)});
  // If a checkpoint became shorter, writing fails with a system error that seems to be about an output: this one comes
  // first.
  RETURN_IF_ERROR(CheckUnchanged(weights));
  return written;
}

WrittenArtifact WrittenIn(const ExportOutputs& outputs) {
  return {.file = outputs.artifact.ReadablePath(),
          .data = outputs.data ? outputs.data->ReadablePath() : "",
          .data_name = DataFileName(outputs.path)};
}

// Makes the round trip, if it is asked for.
absl::StatusOr<absl::optional<RoundTrip>> Prove(const FormattedArtifact& formatted, const WrittenArtifact& written,
                                                const ExportOptions& options) {
  if (!options.prove) return absl::nullopt;
  const Artifact& artifact = formatted.artifact;
  Progress progress("prove", TotalBytes(artifact.weights.bound));
  const ProvenCalls calls = {artifact.examples, artifact.tree.whole->entry_points, options.allow_nonfinite};
  absl::StatusOr<RoundTrip> proven =
      formatted.prepared->Prove(written, calls, [&](int64_t bytes) { progress.Add(bytes); });
  // An example that cannot run is a fault of the plugin, and the message names its line.
  if (absl::IsInvalidArgument(proven.status())) return proven.status();
  if (!proven.ok()) return Annotate(proven.status(), absl::StrCat(options.out, ": the round trip failed"));
  return *std::move(proven);
}

// Says of the files what they are, when they are on the disk. The disk writes while the background threads hash what is
// left.
absl::Status DescribeFiles(HashedOutputs& hashed, Manifest& manifest) {
  RETURN_IF_ERROR(hashed.outputs.artifact.Sync());
  DescribeFile(hashed.artifact.HexDigest(), hashed.artifact.size(), manifest);
  if (!hashed.data) return absl::OkStatus();
  RETURN_IF_ERROR(hashed.outputs.data->Sync());
  DescribeData(DataFileName(hashed.outputs.path), hashed.data->HexDigest(), hashed.data->size(), manifest);
  return absl::OkStatus();
}

// Writes the manifest, and gives all files their names.
absl::Status Commit(const Manifest& manifest, ExportOutputs& outputs) {
  ASSIGN_OR_RETURN(const std::string json, WriteManifest(manifest));
  RETURN_IF_ERROR(outputs.manifest.Write(json));
  return outputs.Commit();
}

absl::StatusOr<Manifest> Export(const Registry& registry, const ExportOptions& options) {
  const ArtifactRequest& request = options.request;
  RETURN_IF_ERROR(CheckEnding(options.out, *request.target));
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
  if (prepared.has_data()) RETURN_IF_ERROR(outputs.OpenData());
  HashedOutputs hashed(outputs);
  RETURN_IF_ERROR(WriteAndAudit(registry, options, formatted, hashed));
  const WrittenArtifact written = WrittenIn(outputs);
  RETURN_IF_ERROR(prepared.CheckWritten(written, options.out));
  ASSIGN_OR_RETURN(const absl::optional<RoundTrip> round_trip, Prove(formatted, written, options));
  RETURN_IF_ERROR(DescribeFiles(hashed, manifest));
  prepared.DescribeFile(*manifest.mutable_artifact());
  DescribeProof(round_trip, manifest);
  RETURN_IF_ERROR(Annotate(CheckArtifact(*request.target, manifest), manifest.request().model()));
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
