#include "pipeline/artifact_weights.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/checkpoint/checkpoint.h"
#include "common/digest/sha256.h"
#include "common/keymap/left_out.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
#include "common/weights/audit.h"
#include "common/weights/scalar_type.h"
#include "pipeline/weight_source.h"

namespace modelport {
namespace {

// The seeded weights that the manifest names as the source; nullopt if it is a checkpoint.
absl::StatusOr<absl::optional<Seeded>> ParseSource(const StatedManifest& stated) {
  absl::string_view source = stated.manifest.source();
  if (const absl::optional<Seeded> seeded = ParseSeededName(source)) return seeded;
  constexpr size_t kDigits = 64;
  if (absl::ConsumePrefix(&source, "sha256:") && source.size() == kDigits &&
      std::all_of(source.begin(), source.end(), absl::ascii_isxdigit)) {
    return absl::optional<Seeded>();
  }
  return absl::DataLossError(
      absl::StrCat(stated.path, ": source wants sha256:HEX or seeded:v1:SEED, has ", Brief(stated.manifest.source())));
}

absl::StatusOr<ArtifactWeights> Bind(MappedWeights mapped, const ModuleTree& tree, DType dtype, std::string source) {
  ArtifactWeights weights{std::move(mapped), {}, std::move(source)};
  const MappedWeights& kept = *weights.mapped;
  ASSIGN_OR_RETURN(weights.bound, BindTensors(kept.checkpoint, kept.plan, tree, dtype));
  return weights;
}

absl::StatusOr<ArtifactWeights> FromSeed(const Registry& registry, const CatalogEntry& entry, const ModuleTree& tree,
                                         DType dtype, const Seeded& seeded) {
  ASSIGN_OR_RETURN(MappedWeights mapped, MapWeights(registry, entry, tree, seeded));
  return Bind(std::move(mapped), tree, dtype, SeededName(seeded));
}

absl::StatusOr<ArtifactWeights> FromCheckpoint(const Registry& registry, const CatalogEntry& entry,
                                               const ModuleTree& tree, DType dtype, const std::string& path,
                                               const StatedManifest& stated) {
  ASSIGN_OR_RETURN(Checkpoint checkpoint, OpenCheckpoint(path));
  Sha256 sha256;
  for (const OpenedFile& file : checkpoint.files()) sha256.Update(file.bytes);
  const std::string digest = absl::StrCat("sha256:", sha256.HexDigest());
  const std::string& source = stated.manifest.source();
  if (digest != source) {
    return absl::FailedPreconditionError(absl::StrCat(
        path, ": is not the checkpoint that the artifact was made from: wants ", source, ", has ", digest));
  }
  const SourceChoice choice = {stated.manifest.layout(), stated.manifest.state_dict()};
  absl::StatusOr<MappedWeights> mapped = MapCheckpoint(registry, entry, tree, std::move(checkpoint), choice);
  if (!mapped.ok()) {
    return Annotate(mapped.status(), absl::StrCat(stated.path, ": layout ", Brief(choice.layout), ", state_dict ",
                                                  Brief(DictName(*choice.state_dict))));
  }
  RETURN_IF_ERROR(AuditStorages(mapped->checkpoint, mapped->plan));
  return Bind(*std::move(mapped), tree, dtype, digest);
}

// The tensor that fills `slot`, the one of that index, borrowed from the artifact. An archive numbers its tensors in
// the order of the slots.
absl::StatusOr<at::Tensor> BorrowTensor(const ArtifactFile& file, size_t index, const Slot& slot, DType dtype) {
  const std::string path = absl::StrCat("data/", index);
  const ZipRecord* const record = file.Find(path);
  if (record == nullptr) {
    return absl::DataLossError(absl::StrCat(file.path(), ": ", path, " (", slot.name, "): missing"));
  }
  dtype = slot.dtype.value_or(dtype);
  const uint64_t wants = *ElementCount(slot.shape) * ByteSize(dtype);
  if (record->deflated || record->bytes.size() != wants) {
    return absl::DataLossError(absl::StrCat(file.path(), ": ", path, " (", slot.name, "): wants ", wants,
                                            " bytes, has ", record->bytes.size(),
                                            record->deflated ? " compressed" : ""));
  }
  // Nothing writes to the tensor. Its numbers are read only after CompareArchive has found the record at the offset
  // where Modelport writes it, which is aligned.
  return at::from_blob(const_cast<char*>(record->bytes.data()), slot.shape, ToScalarType(dtype));
}

absl::StatusOr<ArtifactWeights> FromArtifact(const CatalogEntry& entry, const ModuleTree& tree, DType dtype,
                                             const StatedManifest& stated, const ArtifactFile& file) {
  const std::string& layout = stated.manifest.layout();
  if (entry.plugin->key_map.Find(layout) == nullptr) {
    return absl::DataLossError(
        absl::StrCat(stated.path, ": layout ", Brief(layout), " is none of ", entry.plugin->family));
  }
  ArtifactWeights weights;
  for (size_t i = 0; i < tree.slots.size(); ++i) {
    ASSIGN_OR_RETURN(at::Tensor tensor, BorrowTensor(file, i, tree.slots[i], dtype));
    weights.bound.tensors.push_back(std::move(tensor));
  }
  return weights;
}

}  // namespace

absl::StatusOr<ArtifactWeights> GetArtifactWeights(const Registry& registry, const CatalogEntry& entry,
                                                   const ModuleTree& tree, DType dtype, const StatedManifest& stated,
                                                   const std::string& checkpoint, const ArtifactFile& file) {
  ASSIGN_OR_RETURN(const absl::optional<Seeded> seeded, ParseSource(stated));
  if (seeded && !checkpoint.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(checkpoint, ": the artifact was made from seeded weights, ",
                                                      stated.manifest.source(),
                                                      ", and from no checkpoint; leave out --checkpoint"));
  }
  if (seeded) return FromSeed(registry, entry, tree, dtype, *seeded);
  if (!checkpoint.empty()) return FromCheckpoint(registry, entry, tree, dtype, checkpoint, stated);
  return FromArtifact(entry, tree, dtype, stated, file);
}

}  // namespace modelport
