#include "artifact/verify/artifact_weights.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "common/checkpoint/checkpoint.h"
#include "common/digest/sha256.h"
#include "common/keymap/left_out.h"
#include "common/module_tree/module_tree.h"
#include "common/operation/slot_source.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/tensor/dtype.h"
#include "common/text/printable.h"
#include "common/torchscript/archive/artifact_file.h"
#include "common/torchscript/weights/read_source.h"
#include "registry/recognise/recognise_model.h"
#include "registry/recognise/weight_source.h"
#include "registry/weight_parts.h"

namespace modelport {
namespace {

bool IsDigest(absl::string_view source) {
  constexpr size_t kDigits = 64;
  return absl::ConsumePrefix(&source, "sha256:") && source.size() == kDigits &&
         std::all_of(source.begin(), source.end(), absl::ascii_isxdigit);
}

using StatedFiles = google::protobuf::RepeatedPtrField<Manifest::Checkpoint>;

// Checks that the manifest names a file for each of `parts`.
absl::Status CheckSources(const StatedManifest& stated, const std::vector<WeightPart>& parts) {
  const std::string& seeded = stated.manifest.weights().seeded();
  if (!seeded.empty()) {
    return absl::DataLossError(absl::StrCat(stated.path, ": weights.seeded wants seeded:v1:SEED, has ", Brief(seeded)));
  }
  const StatedFiles& files = stated.manifest.weights().checkpoints();
  if (static_cast<size_t>(files.size()) != parts.size()) {
    return absl::DataLossError(absl::StrCat(stated.path, ": weights.checkpoints wants ", parts.size(),
                                            " files, one for each part of the model, has ", files.size()));
  }
  for (const Manifest::Checkpoint& file : files) {
    if (IsDigest(file.source())) continue;
    return absl::DataLossError(
        absl::StrCat(stated.path, ": weights.checkpoints: source wants sha256:HEX, has ", Brief(file.source())));
  }
  return absl::OkStatus();
}

absl::StatusOr<ArtifactWeights> Bind(const ArtifactRequest& request, const TargetTree& tree,
                                     std::vector<MappedPart> mapped, std::vector<std::string> sources) {
  ASSIGN_OR_RETURN(ArtifactWeights weights, BindParts(tree.kept, std::move(mapped), request.dtype));
  weights.sources = std::move(sources);
  return weights;
}

absl::StatusOr<ArtifactWeights> FromSeed(const Registry& registry, const ArtifactRequest& request,
                                         const TargetTree& tree, const Seeded& seeded) {
  ASSIGN_OR_RETURN(std::vector<MappedPart> mapped,
                   MapWeights(FittingHint(registry), request.entry, *tree.model, seeded));
  return Bind(request, tree, std::move(mapped), {SeededName(seeded)});
}

std::string DigestOf(const Checkpoint& checkpoint) {
  Sha256 sha256;
  for (const OpenedFile& file : checkpoint.files()) sha256.Update(file.bytes);
  return absl::StrCat("sha256:", sha256.HexDigest());
}

// Opens the checkpoint at `path` and puts it where `files` has its digest.
absl::Status TakeCheckpoint(const std::string& path, const StatedFiles& files,
                            std::vector<absl::optional<Checkpoint>>& taken) {
  ASSIGN_OR_RETURN(Checkpoint checkpoint, OpenCheckpoint(path));
  const std::string digest = DigestOf(checkpoint);
  std::vector<std::string> wanted;
  for (int i = 0; i < files.size(); ++i) {
    wanted.push_back(files[i].source());
    if (files[i].source() != digest || taken[i]) continue;
    taken[i] = std::move(checkpoint);
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat(path, ": is not ", files.size() == 1 ? "the checkpoint" : "another checkpoint",
                   " that the artifact was made from: wants ", absl::StrJoin(wanted, " and "), ", has ", digest));
}

absl::StatusOr<ArtifactWeights> FromStatedCheckpoints(const Registry& registry, const ArtifactRequest& request,
                                                      const TargetTree& tree, std::vector<WeightPart> parts,
                                                      const std::vector<std::string>& paths,
                                                      const StatedManifest& stated) {
  const StatedFiles& files = stated.manifest.weights().checkpoints();
  std::vector<absl::optional<Checkpoint>> taken(files.size());
  for (const std::string& path : paths) RETURN_IF_ERROR(TakeCheckpoint(path, files, taken));
  std::vector<MappedPart> mapped;
  std::vector<std::string> sources;
  for (int i = 0; i < files.size(); ++i) {
    const std::string& source = files[i].source();
    const SourceChoice choice = {files[i].layout(), files[i].state_dict()};
    if (!taken[i]) {
      return absl::InvalidArgumentError(absl::StrCat(stated.path, ": the artifact was made from ", files.size(),
                                                     " checkpoints: --checkpoint lacks that of ", parts[i].file->part,
                                                     ", ", source));
    }
    absl::StatusOr<MappedPart> part =
        MapPart(FittingHint(registry), request.entry, std::move(parts[i]), {*std::move(taken[i]), choice});
    if (!part.ok()) {
      return Annotate(part.status(), absl::StrCat(stated.path, ": layout ", Brief(choice.layout), ", state_dict ",
                                                  Brief(DictName(*choice.state_dict))));
    }
    RETURN_IF_ERROR(VerifyInputs(part->checkpoint, part->plan.sources));
    mapped.push_back(*std::move(part));
    sources.push_back(source);
  }
  return Bind(request, tree, std::move(mapped), std::move(sources));
}

// For a manifest that states no checkpoint: any that holds the artifact's weights will do.
absl::StatusOr<ArtifactWeights> FromAnyCheckpoints(const Registry& registry, const ArtifactRequest& request,
                                                   const TargetTree& tree, const std::vector<std::string>& paths) {
  CheckpointFiles files;
  for (const std::string& path : paths) files.push_back({path});
  ASSIGN_OR_RETURN(std::vector<MappedPart> mapped,
                   MapWeights(FittingHint(registry), request.entry, *tree.model, files));
  std::vector<std::string> sources;
  for (const MappedPart& part : mapped) {
    RETURN_IF_ERROR(VerifyInputs(part.checkpoint, part.plan.sources));
    sources.push_back(DigestOf(part.checkpoint));
  }
  return Bind(request, tree, std::move(mapped), std::move(sources));
}

// Checks that the layouts that the manifest names exist.
absl::Status CheckLayouts(const CatalogEntry& entry, const std::vector<WeightPart>& parts,
                          const StatedManifest& stated) {
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::string& layout = stated.manifest.weights().checkpoints(i).layout();
    if (parts[i].key_map->Find(layout) != nullptr) continue;
    return absl::DataLossError(
        absl::StrCat(stated.path, ": layout ", Brief(layout), " is none of ", entry.plugin->family));
  }
  return absl::OkStatus();
}

absl::StatusOr<ArtifactWeights> FromArtifact(const TargetTree& target, DType dtype, const ArtifactFile& file) {
  const std::vector<Slot>& slots = target.kept.tree->slots;
  ASSIGN_OR_RETURN(const std::vector<const ZipRecord*> records, TensorRecords(file, slots, dtype));
  ArtifactWeights weights;
  std::vector<at::Tensor>& tensors = weights.bound.emplace_back().tensors;
  for (size_t i = 0; i < slots.size(); ++i) {
    // Nothing writes to the tensor. Its numbers are read only after CompareArchive has found the record at the offset
    // where Modelport writes it, which is aligned.
    tensors.push_back(at::from_blob(const_cast<char*>(records[i]->bytes.data()), slots[i].shape,
                                    ToScalarType(slots[i].dtype.value_or(dtype))));
  }
  return weights;
}

}  // namespace

absl::StatusOr<std::vector<WeightPart>> StatedParts(const CatalogEntry& entry, const ModuleTree& tree,
                                                    const Manifest& stated) {
  absl::optional<WeightPart> whole = WholeTree(*entry.plugin, *entry.variant, tree);
  const Manifest::Weights& weights = stated.weights();
  if (!whole || weights.checkpoints_size() != 1 || !weights.checkpoints(0).part().empty())
    return SplitWeights(*entry.plugin, *entry.variant, tree);
  std::vector<WeightPart> parts;
  parts.push_back(*std::move(whole));
  return parts;
}

absl::StatusOr<ArtifactWeights> GetArtifactWeights(const Registry& registry, const ArtifactRequest& request,
                                                   const TargetTree& tree, const StatedManifest& stated,
                                                   const std::vector<std::string>& checkpoints,
                                                   const ArtifactFile& file) {
  if (const absl::optional<Seeded> seeded = ParseSeededName(stated.manifest.weights().seeded())) {
    // The manifest of a small file can name a large model. Seeded weights take memory only for a file that holds them.
    if (checkpoints.empty()) {
      RETURN_IF_ERROR(FromArtifact(tree, request.dtype, file).status());
      return FromSeed(registry, request, tree, *seeded);
    }
    return absl::FailedPreconditionError(
        absl::StrCat(checkpoints.front(), ": the artifact was made from seeded weights, ",
                     stated.manifest.weights().seeded(), ", and from no checkpoint; leave out --checkpoint"));
  }
  if (!stated.is_whole) {
    return checkpoints.empty() ? FromArtifact(tree, request.dtype, file)
                               : FromAnyCheckpoints(registry, request, tree, checkpoints);
  }
  ASSIGN_OR_RETURN(std::vector<WeightPart> parts, StatedParts(request.entry, *tree.model, stated.manifest));
  RETURN_IF_ERROR(CheckSources(stated, parts));
  if (!checkpoints.empty()) {
    return FromStatedCheckpoints(registry, request, tree, std::move(parts), checkpoints, stated);
  }
  RETURN_IF_ERROR(CheckLayouts(request.entry, parts, stated));
  return FromArtifact(tree, request.dtype, file);
}

}  // namespace modelport
