#include "artifact/verify/verify_artifact.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "artifact/build/build_artifact.h"
#include "artifact/build/formats.h"
#include "artifact/build/open_artifact.h"
#include "artifact/build/target_tree.h"
#include "artifact/format/artifact_format.h"
#include "artifact/format/built_module.h"
#include "artifact/format/stored_artifact.h"
#include "artifact/format/stored_tensors.h"
#include "artifact/manifest/describe_export.h"
#include "artifact/manifest/stated_manifest.h"
#include "artifact/request/artifact_request.h"
#include "artifact/signature/artifact_signature.h"
#include "artifact/verify/stated_plan.h"
#include "common/digest/sha256.h"
#include "common/io/mapped_file.h"
#include "common/manifest/describe_manifest.h"
#include "common/manifest/manifest.h"
#include "common/manifest/manifest_facts.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/first_few.h"
#include "common/text/printable.h"
#include "common/torchscript/parity/compare_reference.h"
#include "common/torchscript/parity/reference.h"
#include "common/torchscript/proof/proof_result.h"
#include "registry/recognise/weight_source.h"
#include "registry/weight_parts.h"

namespace modelport {
namespace {

// Another text of the plugin gives other bytes, which does not mean that the file was altered. Why this one cannot make
// the artifact anew; "" if it can.
std::string OtherPlugin(const Plugin& plugin, const Manifest& stated) {
  return DifferentFields(absl::StrCat("the artifact was made from another text of the plugin ", plugin.family),
                         {{"plugin_sha256", plugin.plugin_digest, stated.plugin_sha256()},
                          {"key_map_sha256", plugin.key_map_digest, stated.key_map_sha256()}});
}

absl::Status WrongFields(const std::string& path, const std::vector<std::string>& fields) {
  return absl::DataLossError(absl::StrCat(path, ": ", fields.size(), fields.size() == 1 ? " field is" : " fields are",
                                          " not as the artifact is made (stated -> right): ", FirstFew(fields)));
}

// `status`, of what was asked for by a manifest. A request that no artifact can answer is the manifest's fault.
absl::Status FaultOfManifest(const absl::Status& status, const StatedManifest& stated) {
  if (!absl::IsInvalidArgument(status)) return status;
  return absl::DataLossError(absl::StrCat(stated.path, ": ", status.message()));
}

// Plans to make anew what `file` holds, whose tensors have the sizes that the request wants.
absl::StatusOr<ArtifactPlan> PlanAnew(const Registry& registry, const ArtifactRequest& request,
                                      const StatedManifest& stated, const std::vector<std::string>& checkpoints,
                                      const StoredArtifact& file) {
  absl::StatusOr<TargetTree> tree = BuildTargetTree(request);
  const absl::Status built = request.knobs.empty() ? tree.status() : Annotate(tree.status(), "knobs");
  RETURN_IF_ERROR(FaultOfManifest(built, stated));
  return PlanStated(registry, request, stated, checkpoints, file, *std::move(tree));
}

// Makes sure that the file is of the format that the manifest's target has.
absl::Status CheckFormat(const ArtifactRequest& request, const StatedManifest& stated, const StoredArtifact& file) {
  if (request.target->format == file.format()) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(stated.path, ": states target ", request.target->name,
                                          ", whose artifacts are ", FormatOf(*request.target).ending(), " files, and ",
                                          file.path(), " is none"));
}

// Makes the artifact anew, to compare with. Its manifest lacks the fields of DescribeFile and DescribeProof.
absl::StatusOr<FormattedArtifact> Remake(const ArtifactRequest& request, const StatedManifest& stated,
                                         ArtifactPlan plan) {
  ASSIGN_OR_RETURN(Artifact artifact, BuildArtifact(request, std::move(plan)));
  ASSIGN_OR_RETURN(FormattedArtifact remade, FormatArtifact(request, std::move(artifact)));
  if (!remade.artifact.weights.mapped.empty()) {
    DescribeSource(request, remade.artifact.weights, remade.manifest);
  } else if (stated.is_whole) {
    ASSIGN_OR_RETURN(const std::vector<WeightPart> parts,
                     StatedParts(request.entry, *remade.artifact.tree.model, stated.manifest));
    CopySource(stated.manifest, parts, remade.manifest);
  }
  return remade;
}

absl::Status CheckFields(const StatedManifest& stated, const Manifest& right) {
  const std::vector<std::string> wrong =
      stated.is_whole
          ? DifferingFields(stated.manifest, right, {"modelport.Manifest.artifact", "modelport.Manifest.round_trip"})
          : DifferingFields(stated.manifest, ManifestWithin(right), {});
  return wrong.empty() ? absl::OkStatus() : WrongFields(stated.path, wrong);
}

// Checks what the manifest says of the file and its data file, whose digests a signature has told if there is one.
// `right` has what its format tells.
absl::Status CheckFileFacts(const StatedManifest& stated, const StoredArtifact& file,
                            const absl::optional<ArtifactSignature>& signature, Manifest right) {
  DescribeFile(signature ? signature->artifact_sha256 : Sha256Of(file.bytes()), file.bytes().size(), right);
  right.mutable_artifact()->clear_data();
  if (const MappedFile* const data = file.data_file()) {
    DescribeData(std::filesystem::path(data->path()).filename().string(),
                 signature ? signature->data_sha256 : Sha256Of(data->bytes()), data->bytes().size(), right);
  }
  const std::vector<std::string> wrong = DifferingFields(stated.manifest.artifact(), right.artifact(), {});
  return wrong.empty() ? absl::OkStatus() : WrongFields(absl::StrCat(stated.path, ": artifact"), wrong);
}

// The same for a file that was not made anew: what the manifest says of its format is not checked.
absl::Status CheckFileFacts(const StatedManifest& stated, const StoredArtifact& file,
                            const absl::optional<ArtifactSignature>& signature) {
  Manifest right;
  *right.mutable_artifact() = stated.manifest.artifact();
  return CheckFileFacts(stated, file, signature, std::move(right));
}

// Whether the artifact may compute values that are not finite: its manifest says so, or has no place to say it.
bool MayBeNonfinite(const StatedManifest& stated) {
  const auto& outputs = stated.manifest.round_trip().outputs();
  return !stated.is_whole || std::any_of(outputs.begin(), outputs.end(),
                                         [](const auto& output) { return output.nan() + output.infinite() > 0; });
}

// Loads `file`, which is what the artifact has to be, and compares what it computes, and what `stated` says of that.
// `weights` is the artifact's dtype.
// Nullopt if what proves artifacts of its format is not at hand.
absl::StatusOr<absl::optional<RoundTrip>> Prove(const FormattedArtifact& remade, DType weights,
                                                const StoredArtifact& file, const StatedManifest& stated) {
  if (!remade.format->CheckCanProve().ok()) return absl::nullopt;
  const ProvenCalls calls = {remade.artifact.examples, remade.artifact.tree.whole->entry_points,
                             /*allow_nonfinite=*/MayBeNonfinite(stated)};
  ASSIGN_OR_RETURN(RoundTrip round_trip, remade.prepared->ProveEqual(file, calls));
  if (!stated.is_whole) return round_trip;
  const std::vector<std::string> wrong = ProofErrors(*remade.format, weights, stated.manifest.round_trip(), round_trip);
  if (!wrong.empty()) return WrongFields(absl::StrCat(stated.path, ": round_trip"), wrong);
  return round_trip;
}

absl::StatusOr<Reference> ReadReferenceOf(const std::string& model, const std::string& path) {
  ASSIGN_OR_RETURN(Reference reference, ReadReference(path));
  if (reference.model == model) return reference;
  return absl::FailedPreconditionError(absl::StrCat(path, ": is a reference of ", Brief(reference.model),
                                                    ", and the artifact is made from ", Brief(model)));
}

std::string Describe(const ComparedOutput& output) {
  return absl::StrCat(
      output.call, ": max diff ", output.max_abs, output.equal_on_same_memory ? ", none on the same memory" : "",
      output.nan + output.infinite > 0 ? absl::StrCat(", ", output.nan, " NaN, ", output.infinite, " infinite") : "");
}

// What is known of the signature beside the artifact, if there is one.
void ReportSignature(const std::string& artifact, const absl::optional<ArtifactSignature>& signature,
                     Verification& result) {
  if (signature) {
    result.passed.push_back(
        absl::StrCat("artifact and manifest signed: ", signature->path, ", by the key sha256:", signature->key_id));
    return;
  }
  if (const std::string path = SignatureBeside(artifact); !path.empty()) {
    result.not_checked.push_back(
        absl::StrCat("signature ", path, ": give the public key of whoever signed with --key"));
  }
}

void ReportProof(const RoundTrip& round_trip, Verification& result) {
  result.passed.push_back(absl::StrCat("loads", round_trip.runtime.empty() ? "" : " in ", round_trip.runtime, "; ",
                                       round_trip.methods, round_trip.methods == 1 ? " method" : " methods", " equal"));
  for (const ComparedOutput& output : round_trip.outputs) result.passed.push_back(Describe(output));
  if (!round_trip.kernel_fault.empty()) {
    result.passed.push_back(absl::StrCat("compared without oneDNN, since here ", round_trip.kernel_fault));
  }
}

// `tensors` is the number of those that the file holds.
void Report(const absl::optional<RoundTrip>& round_trip, const StatedManifest& stated, const FormattedArtifact& remade,
            int64_t tensors, const std::vector<std::string>& checkpoints, Verification& result) {
  const ArtifactWeights& weights = remade.artifact.weights;
  result.passed.push_back("every byte as Modelport writes it");
  result.passed.push_back("every field of the manifest as it is made");
  if (stated.is_whole) result.passed.push_back("sha256 as in the manifest");
  if (!weights.mapped.empty()) {
    const std::vector<std::string>& sources = checkpoints.empty() ? weights.sources : checkpoints;
    result.passed.push_back(absl::StrCat(tensors, " tensors bitwise equal to those of ", absl::StrJoin(sources, ", ")));
  } else if (!stated.is_whole) {
    result.not_checked.push_back(
        "weights: give the checkpoint with --checkpoint; the manifest that export wrote names it");
  } else {
    result.not_checked.push_back(
        absl::StrCat("weights: give the checkpoint, ", WeightsSource(stated.manifest), ", with --checkpoint"));
    result.not_checked.push_back("the manifest's field weights, but for which files are the published ones");
  }
  if (round_trip) return ReportProof(*round_trip, result);
  result.not_checked.push_back(
      absl::StrCat("outputs, and the manifest's field round_trip: ", remade.format->CheckCanProve().message()));
}

// What is verified.
struct Subject {
  const StoredArtifact& file;
  const StatedManifest& stated;
  const absl::optional<ArtifactSignature>& signature;
  const std::vector<std::string>& checkpoints;
};

// What it was made from by its manifest, and how to make it anew.
struct PlannedAnew {
  ArtifactRequest request;
  ArtifactPlan plan;
};

// Verifies the weights, and says so in `result`.
absl::Status VerifyWeights(const Subject& subject, PlannedAnew planned, Verification& result) {
  const auto& [file, stated, signature, checkpoints] = subject;
  const TargetTree tree = planned.plan.tree;
  ASSIGN_OR_RETURN(const ArtifactWeights weights, BindWeights(planned.request, std::move(planned.plan)));
  if (weights.mapped.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--checkpoint is missing: the weights are those of ", WeightsSource(stated.manifest)));
  }
  const std::vector<Slot>& slots = tree.whole->slots;
  const absl::StatusOr<int64_t> tensors = CompareTensors(file, slots, planned.request.dtype, weights.bound);
  // The tensors of another file may be the same, in another layout.
  const absl::Status others = CheckSourcesOf(stated, weights);
  if (!tensors.ok()) return others.ok() ? tensors.status() : others;
  RETURN_IF_ERROR(CheckUnchanged(weights));
  result.passed.push_back(absl::StrCat(*tensors, " tensors bitwise equal to those of ",
                                       absl::StrJoin(checkpoints.empty() ? weights.sources : checkpoints, ", ")));
  if (!others.ok()) {
    result.not_checked.push_back(absl::StrCat("the manifest's field weights: ", others.message()));
  }
  result.reached = Tier::kWeights;
  return absl::OkStatus();
}

// `status`, of the weights of an artifact that was made from another text of its plugin: its tensors may be others than
// those of this text, or lie in another order, so that a difference is no damage.
absl::Status OfOtherText(const absl::Status& status) {
  if (!absl::IsDataLoss(status)) return status;
  return absl::FailedPreconditionError(
      absl::StrCat(status.message(), "\n  the artifact was made from another text of its plugin, whose tensors may be ",
                   "others, or in another order: --plugin_path can name that text; --at_least=file verifies the file"));
}

// Verifies what another release or another plugin made, or from another checkpoint, `obstacle`, as far as that goes,
// and at least up to `at_least`. `is_of_other_text` tells whether the plugin's text was another. `plan` is called where
// the weights are verified.
absl::StatusOr<Verification> VerifyForeign(const Subject& subject, const std::string& obstacle, bool is_of_other_text,
                                           Tier at_least, absl::FunctionRef<absl::StatusOr<PlannedAnew>()> plan) {
  const auto& [file, stated, signature, checkpoints] = subject;
  if (!stated.is_whole) {
    return absl::FailedPreconditionError(absl::StrCat(
        stated.path, ": ", obstacle, "\n  the manifest that was written beside it is missing, and only that ",
        "one says which file it is about"));
  }
  RETURN_IF_ERROR(CheckFileFacts(stated, file, signature));
  Verification result = {.reached = Tier::kFile, .manifest = stated.manifest};
  ReportSignature(file.path(), signature, result);
  result.passed.push_back("sha256 as in the manifest");
  const bool has_weights = !checkpoints.empty() || ParseSeededName(stated.manifest.weights().seeded()).has_value();
  if (at_least == Tier::kWeights || has_weights) {
    const auto verify = [&]() -> absl::Status {
      ASSIGN_OR_RETURN(PlannedAnew planned, plan());
      return VerifyWeights(subject, std::move(planned), result);
    };
    const absl::Status verified = is_of_other_text ? OfOtherText(verify()) : verify();
    if (!verified.ok() && (!is_of_other_text || at_least != Tier::kFile)) return verified;
    if (!verified.ok()) {
      const std::vector<absl::string_view> lines = absl::StrSplit(verified.message(), '\n');
      result.not_checked.push_back(absl::StrCat("weights, by another text of the plugin: ", lines.front()));
    }
  } else {
    result.not_checked.push_back(
        absl::StrCat("weights: give the checkpoint, ", WeightsSource(stated.manifest), ", with --checkpoint"));
  }
  RETURN_IF_ERROR(file.CheckUnchanged());
  result.not_checked.push_back(absl::StrCat("code, outputs and the manifest's other fields: ", obstacle));
  return result;
}

absl::Status CannotMakeAnew(const StatedManifest& stated, const std::string& obstacle) {
  const std::string other =
      stated.other_release.empty() ? "with that text, which --plugin_path can name" : "with that release";
  return absl::FailedPreconditionError(
      absl::StrCat(stated.path, ": ", obstacle, "\n  verify it ", other,
                   ", or only its weights or the file itself: --at_least=weights or --at_least=file"));
}

// Whether an export may have measured the differences of `stated`.
bool IsPossible(const ArtifactFormat& format, DType weights, const Manifest::Output& stated,
                const ComparedOutput& output) {
  const double max_abs = stated.max_abs(), relative = stated.relative();
  if (!std::isfinite(max_abs) || max_abs < 0 || relative < 0 || (max_abs == 0) != (relative == 0)) return false;
  return format.IsPossible(weights, stated, output);
}

// Whether an export may have found this fault of its machine.
bool IsPossibleFault(absl::string_view stated) {
  return stated.empty() ||
         (absl::EndsWith(stated, kFaultVerdict) && std::all_of(stated.begin(), stated.end(), absl::ascii_isprint));
}

}  // namespace

absl::StatusOr<Verification> VerifyArtifact(const Registry& registry, const std::string& artifact,
                                            const std::vector<std::string>& checkpoints,
                                            const absl::optional<ReferenceFile>& reference,
                                            const std::string& public_key, Tier at_least) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> mapped, MappedFile::Open(artifact));
  absl::optional<ArtifactSignature> signature;
  if (!public_key.empty()) {
    ASSIGN_OR_RETURN(signature, CheckSignature(artifact, *mapped, public_key));
  }
  ASSIGN_OR_RETURN(const std::shared_ptr<const StoredArtifact> opened,
                   ReadArtifact(artifact, mapped, signature ? signature->data : nullptr));
  const StoredArtifact& file = *opened;
  ASSIGN_OR_RETURN(const StatedManifest stated, ReadStatedManifest(file, signature));
  absl::optional<Reference> stored;
  if (reference) {
    ASSIGN_OR_RETURN(stored, ReadReferenceOf(stated.manifest.request().model(), reference->path));
  }
  const Subject subject = {file, stated, signature, checkpoints};
  const absl::StatusOr<ArtifactRequest> request = StatedRequest(registry, stated.manifest);
  const auto plan_anew = [&]() -> absl::StatusOr<PlannedAnew> {
    RETURN_IF_ERROR(Annotate(request.status(), stated.path));
    RETURN_IF_ERROR(CheckFormat(*request, stated, file));
    ASSIGN_OR_RETURN(ArtifactPlan plan, PlanAnew(registry, *request, stated, checkpoints, file));
    return PlannedAnew{*request, std::move(plan)};
  };
  std::string obstacle = stated.other_release;
  if (obstacle.empty()) {
    RETURN_IF_ERROR(Annotate(request.status(), stated.path));
    obstacle = OtherPlugin(*request->entry.plugin, stated.manifest);
  }
  if (!obstacle.empty()) {
    if (at_least == Tier::kCode) return CannotMakeAnew(stated, obstacle);
    const bool is_of_other_text = request.ok() && !OtherPlugin(*request->entry.plugin, stated.manifest).empty();
    return VerifyForeign(subject, obstacle, is_of_other_text, at_least, plan_anew);
  }
  absl::StatusOr<PlannedAnew> anew = plan_anew();
  if (absl::IsFailedPrecondition(anew.status()) && at_least == Tier::kFile && checkpoints.empty()) {
    return VerifyForeign(subject, "the file does not hold all tensors of the model", /*is_of_other_text=*/false,
                         at_least, plan_anew);
  }
  // Damage may be why.
  if (absl::IsFailedPrecondition(anew.status()) && stated.is_whole) {
    RETURN_IF_ERROR(CheckFileFacts(stated, file, signature));
  }
  RETURN_IF_ERROR(anew.status());
  PlannedAnew planned = *std::move(anew);
  if (const absl::Status others = CheckSourcesOf(stated, planned.plan.weights); !others.ok()) {
    if (at_least != Tier::kCode) {
      return VerifyForeign(subject, "the checkpoint is not the manifest's", /*is_of_other_text=*/false, at_least,
                           [&]() -> absl::StatusOr<PlannedAnew> { return std::move(planned); });
    }
    return absl::FailedPreconditionError(
        absl::StrCat(others.message(),
                     "\n  --at_least=weights compares the tensors of another file, such as one of another layout"));
  }
  const absl::StatusOr<FormattedArtifact> made = Remake(*request, stated, std::move(planned.plan));
  RETURN_IF_ERROR(FaultOfManifest(made.status(), stated));
  const FormattedArtifact& remade = *made;
  const std::vector<Slot>& slots = remade.artifact.tree.whole->slots;
  RETURN_IF_ERROR(CheckFields(stated, remade.manifest));
  const auto manifest = [&] { return WriteManifest(ManifestWithin(remade.manifest)); };
  RETURN_IF_ERROR(remade.prepared->CompareBytes(file, slots, manifest));
  if (stated.is_whole) {
    Manifest right;
    remade.prepared->DescribeFile(*right.mutable_artifact());
    RETURN_IF_ERROR(CheckFileFacts(stated, file, signature, std::move(right)));
  }
  ASSIGN_OR_RETURN(const absl::optional<RoundTrip> round_trip, Prove(remade, request->dtype, file, stated));
  RETURN_IF_ERROR(CheckUnchanged(remade.artifact.weights));
  RETURN_IF_ERROR(file.CheckUnchanged());
  Verification result;
  result.manifest = stated.manifest;
  ReportSignature(artifact, signature, result);
  ASSIGN_OR_RETURN(const int64_t tensors, CountTensors(file, slots, request->dtype));
  Report(round_trip, stated, remade, tensors, checkpoints, result);
  if (stored) {
    ASSIGN_OR_RETURN(ReferenceComparison compared,
                     CompareWithKnobs(*remade.artifact.built->module, *stored,
                                      {.tolerance = reference->tolerance, .lenient = true}));
    result.reference = std::make_shared<const ReferenceComparison>(std::move(compared));
  }
  return result;
}

std::vector<std::string> ProofErrors(const ArtifactFormat& format, DType weights, const Manifest::RoundTrip& stated,
                                     const RoundTrip& round_trip) {
  Manifest right;
  DescribeProof(stated.proven() ? absl::make_optional(round_trip) : absl::nullopt, right);
  const std::string output = "modelport.Manifest.Output.", proof = "modelport.Manifest.RoundTrip.";
  std::vector<std::string> errors = DifferingFields(
      stated, right.round_trip(),
      {output + "max_abs", output + "relative", output + "equal_on_same_memory", proof + "kernel_fault"});
  if (!errors.empty() && !stated.proven()) return {"proven: false, but results are stated"};
  if (!errors.empty()) return errors;
  if (!IsPossibleFault(stated.kernel_fault()))
    errors.push_back(absl::StrCat("kernel_fault: no export finds ", stated.kernel_fault()));
  for (int i = 0; i < stated.outputs_size(); ++i) {
    const Manifest::Output& entry = stated.outputs(i);
    if (IsPossible(format, weights, entry, round_trip.outputs[i])) continue;
    errors.push_back(absl::StrCat("outputs[", i, "]: no export measures max_abs ", entry.max_abs(), " and relative ",
                                  entry.relative(), " with equal_on_same_memory ",
                                  entry.equal_on_same_memory() ? "true" : "false"));
  }
  return errors;
}

}  // namespace modelport
