#include "artifact/export/export_model.h"

#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "artifact/build/bind_parts.h"
#include "artifact/build/target_module.h"
#include "artifact/export/export_outputs.h"
#include "artifact/manifest/describe_export.h"
#include "common/digest/background_digest.h"
#include "common/io/output_file.h"
#include "common/manifest/manifest.h"
#include "common/operation/slot_source.h"
#include "common/progress/progress.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/torchscript/archive/read_format.h"
#include "common/torchscript/archive/save_module.h"
#include "common/torchscript/lint/finding.h"
#include "common/torchscript/lint/host_rule.h"
#include "common/torchscript/proof/round_trip.h"
#include "common/torchscript/runtime/operators.h"
#include "common/torchscript/runtime/runtime.h"
#include "common/torchscript/runtime/runtime_obstacles.h"
#include "common/torchscript/weights/audit.h"
#include "common/torchscript/weights/bind_tensors.h"
#include "registry/recognise/map_weights.h"
#include "registry/recognise/published_file.h"
#include "registry/recognise/recognise_model.h"
#include "registry/target_tree.h"
#include "targets/host_rules.h"

namespace modelport {
namespace {

int64_t TotalBytes(const std::vector<at::Tensor>& tensors) {
  int64_t bytes = 0;
  for (const at::Tensor& tensor : tensors) bytes += tensor.nbytes();
  return bytes;
}

// Checks that the runtime for which the artifact is made can run it.
absl::Status CheckRuns(const CatalogEntry& entry, const std::vector<Operator>& operators, const Runtime* runtime) {
  if (runtime == nullptr) return absl::OkStatus();
  return Annotate(CheckRuntime(*runtime, FormatFor(*runtime), operators), entry.variant->name);
}

// Checks that the host can use the module.
absl::Status CheckModuleForHost(const CatalogEntry& entry, const torch::jit::Module& module, const Target& target) {
  const std::vector<Finding> findings = CheckHostRules(HostRules(target), module);
  if (findings.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(entry.variant->name, ": ", target.name, " cannot use this model:\n", FormatFindings(findings)));
}

absl::Status CheckDType(DType dtype, const Target& target) {
  const std::vector<DType>& known = target.dtypes;
  if (known.empty() || std::count(known.begin(), known.end(), dtype) > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--dtype=", DTypeName(dtype), ": ", target.name, " computes in ",
      absl::StrJoin(known, " or ", [](std::string* out, DType one) { absl::StrAppend(out, DTypeName(one)); })));
}

// Checks that the host can use an artifact with this manifest.
absl::Status CheckManifestForHost(const Manifest& manifest, const Target& target) {
  if (target.check == nullptr) return absl::OkStatus();
  return Annotate(target.check(manifest), manifest.model());
}

// What a manifest calls the sources of the weights: the digests of all files, which other threads compute.
class Sources {
 public:
  Sources(const WeightSource& weights, const std::vector<MappedPart>& parts) {
    if (const auto* const seeded = std::get_if<Seeded>(&weights)) {
      seeded_ = SeededName(*seeded);
    } else {
      for (const MappedPart& part : parts) {
        BackgroundDigest& digest = digests_.emplace_back();
        for (const OpenedFile& file : part.checkpoint.files()) digest.Append(file.bytes);
      }
    }
  }

  // Waits for the digests.
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    if (!seeded_.empty()) names.push_back(seeded_);
    for (BackgroundDigest& digest : digests_) names.push_back(absl::StrCat("sha256:", digest.HexDigest()));
    return names;
  }

 private:
  std::string seeded_;                    // Empty for checkpoints.
  std::deque<BackgroundDigest> digests_;  // A deque does not move its elements.
};

absl::Status Audit(const std::vector<MappedPart>& parts, const std::vector<BoundTensors>& bound, bool allow_nonfinite) {
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto& [part, checkpoint, plan] = parts[i];
    RETURN_IF_ERROR(VerifyInputs(checkpoint, plan.sources));
    RETURN_IF_ERROR(AuditValues(checkpoint, plan, part.tree, bound[i], allow_nonfinite));
  }
  return absl::OkStatus();
}

// Writes the module to `out` with the manifest in it, to which it adds the source. The weights are audited after they
// were written, while the checkpoints are still being hashed.
absl::Status WriteAndAudit(const Registry& registry, const CatalogEntry& entry, const torch::jit::Module& module,
                           const std::vector<MappedPart>& weights, const std::vector<BoundTensors>& bound,
                           const ExportOptions& options, Sources& sources, Writer& out, Manifest& manifest) {
  const auto audit_and_describe = [&]() -> absl::StatusOr<std::string> {
    RETURN_IF_ERROR(Audit(weights, bound, options.allow_nonfinite));
    const std::vector<std::string> names = sources.Names();
    RETURN_IF_ERROR(CheckPublishedFiles(registry, entry, weights, names));
    DescribeSource(names, weights, bound, manifest);
    return WriteManifest(ManifestWithin(manifest));
  };
  Progress progress("write", TotalBytes(AllTensors(bound)));
  ProgressWriter writer(out, progress);
  const absl::Status written =
      WriteArchive(module, options.runtime, {{kManifestExtraFile, audit_and_describe}}, writer);
  // If a checkpoint became shorter, writing fails with a system error that seems to be about `out`: this one comes
  // first.
  RETURN_IF_ERROR(CheckUnchanged(weights));
  return written;
}

// Checks that the file has the format that its manifest states.
absl::Status CheckFormat(const OutputFile& file, const ArchiveFormat& format, const ExportOptions& options) {
  ASSIGN_OR_RETURN(const ArchiveFormat written, ReadArchiveFormat(file.ReadablePath()));
  if (written.version == format.version && written.new_records == format.new_records) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat(options.out, ": wants archive version ", format.version, ", has ", written.version));
}

// Makes the round trip, if it is asked for.
absl::StatusOr<absl::optional<RoundTrip>> Prove(const torch::jit::Module& module, const OutputFile& file, int64_t size,
                                                const CatalogEntry& entry, const TargetTree& tree,
                                                const ExportOptions& options) {
  if (!options.prove) return absl::nullopt;
  Progress progress("prove", size);
  absl::StatusOr<RoundTrip> proven =
      ProveRoundTrip(module, file.ReadablePath(), TargetExamples(entry, tree), tree.whole->entry_points,
                     options.allow_nonfinite, [&](int64_t bytes) { progress.Add(bytes); });
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

absl::StatusOr<Manifest> Export(const Registry& registry, const CatalogEntry& entry, const ExportOptions& options) {
  RETURN_IF_ERROR(CheckDType(options.dtype, *options.target));
  ASSIGN_OR_RETURN(const TargetTree tree, BuildTargetTree(*entry.plugin, *entry.variant, *options.target,
                                                          options.with_preprocess, options.wrapper, options.outputs));
  ASSIGN_OR_RETURN(std::vector<MappedPart> weights,
                   MapWeights(FittingHint(registry), entry, *tree.model, options.weights));
  KeepSlots(tree.kept, weights);
  // All inputs are open now, so that an output that would replace one is refused before anything is computed.
  ASSIGN_OR_RETURN(ExportOutputs outputs, OpenExportOutputs(options.out));
  ASSIGN_OR_RETURN(const std::vector<BoundTensors> bound,
                   BindParts(weights, options.dtype, absl::StrCat(options.out, ".weights")));
  const std::vector<at::Tensor> tensors = AllTensors(bound);
  ASSIGN_OR_RETURN(const torch::jit::Module module, BuildTargetModule(tree, tensors, *options.target, options.runtime));
  RETURN_IF_ERROR(CheckModuleForHost(entry, module, *options.target));
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
  Sources sources(options.weights, weights);
  HashingWriter artifact(outputs.artifact);
  RETURN_IF_ERROR(WriteAndAudit(registry, entry, module, weights, bound, options, sources, artifact, manifest));
  RETURN_IF_ERROR(CheckFormat(outputs.artifact, format, options));
  ASSIGN_OR_RETURN(const absl::optional<RoundTrip> round_trip,
                   Prove(module, outputs.artifact, TotalBytes(tensors), entry, tree, options));
  // The disk writes while the background thread hashes what is left.
  RETURN_IF_ERROR(outputs.artifact.Sync());
  DescribeFile(artifact.HexDigest(), artifact.size(), format, manifest);
  DescribeProof(round_trip, manifest);
  RETURN_IF_ERROR(CheckManifestForHost(manifest, *options.target));
  RETURN_IF_ERROR(CheckUnchanged(weights));
  RETURN_IF_ERROR(Commit(manifest, outputs));
  return manifest;
}

}  // namespace

absl::StatusOr<Manifest> ExportModel(const Registry& registry, const CatalogEntry& entry,
                                     const ExportOptions& options) {
  absl::StatusOr<Manifest> manifest = Export(registry, entry, options);
  if (manifest.ok()) return manifest;
  return absl::Status(manifest.status().code(), entry.plugin->library->WithPaths(manifest.status().message()));
}

}  // namespace modelport
