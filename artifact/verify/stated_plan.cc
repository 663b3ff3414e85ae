#include "artifact/verify/stated_plan.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "artifact/format/stored_tensors.h"
#include "common/checkpoint/checkpoint.h"
#include "common/digest/sha256.h"
#include "common/keymap/left_out.h"
#include "common/manifest/describe_manifest.h"
#include "common/operation/slot_source.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
#include "registry/recognise/assign_files.h"
#include "registry/recognise/weight_source.h"

namespace modelport {
namespace {

using StatedFiles = google::protobuf::RepeatedPtrField<Manifest::Checkpoint>;

bool IsDigest(absl::string_view source) {
  constexpr size_t kDigits = 64;
  return absl::ConsumePrefix(&source, "sha256:") && source.size() == kDigits &&
         std::all_of(source.begin(), source.end(), absl::ascii_isxdigit);
}

// Checks that the manifest names a file for each of the parts of `entry`, in a layout of its plugin.
absl::Status CheckSources(const StatedManifest& stated, const CatalogEntry& entry, const ModuleTree& tree) {
  const std::string& seeded = stated.manifest.weights().seeded();
  if (!seeded.empty()) {
    return absl::DataLossError(absl::StrCat(stated.path, ": weights.seeded wants seeded:v1:SEED, has ", Brief(seeded)));
  }
  ASSIGN_OR_RETURN(const std::vector<WeightPart> parts, StatedParts(entry, tree, stated.manifest));
  const StatedFiles& files = stated.manifest.weights().checkpoints();
  if (static_cast<size_t>(files.size()) != parts.size()) {
    return absl::DataLossError(absl::StrCat(stated.path, ": weights.checkpoints wants ", parts.size(),
                                            " files, one for each part of the model, has ", files.size()));
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!IsDigest(files[i].source())) {
      return absl::DataLossError(
          absl::StrCat(stated.path, ": weights.checkpoints: source wants sha256:HEX, has ", Brief(files[i].source())));
    }
    if (parts[i].key_map->Find(files[i].layout()) == nullptr) {
      return absl::DataLossError(
          absl::StrCat(stated.path, ": layout ", Brief(files[i].layout()), " is none of ", entry.plugin->family));
    }
  }
  return absl::OkStatus();
}

std::string DigestOf(const Checkpoint& checkpoint) {
  Sha256 sha256;
  for (const OpenedFile& file : checkpoint.files()) sha256.Update(file.bytes);
  return absl::StrCat("sha256:", sha256.HexDigest());
}

// Open checkpoints, and what a manifest calls each.
struct Given {
  std::vector<GivenCheckpoint> files;
  std::map<std::string, std::string> sources;  // By path.
};

absl::StatusOr<Given> Open(const std::vector<std::string>& paths) {
  Given given;
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(Checkpoint checkpoint, OpenCheckpoint(path));
    given.sources[checkpoint.path()] = DigestOf(checkpoint);
    given.files.push_back({std::move(checkpoint), {}});
  }
  return given;
}

absl::Status IsAnotherFile(const StatedManifest& stated, const std::string& path, const std::string& digest) {
  std::vector<std::string> wanted;
  for (const Manifest::Checkpoint& file : stated.manifest.weights().checkpoints()) wanted.push_back(file.source());
  return absl::FailedPreconditionError(
      absl::StrCat(path, ": is not ", wanted.size() == 1 ? "the checkpoint" : "another checkpoint",
                   " that the artifact was made from: wants ", absl::StrJoin(wanted, " and "), ", has ", digest));
}

// Chooses of each file of the manifest among `given` the layout and the state dict that it states. `others` are the
// files that it does not name.
absl::Status ChooseStated(const StatedManifest& stated, Given& given, std::vector<const GivenCheckpoint*>& others) {
  std::vector<const Manifest::Checkpoint*> missing;
  for (const Manifest::Checkpoint& file : stated.manifest.weights().checkpoints()) missing.push_back(&file);
  const size_t wanted = missing.size();
  for (GivenCheckpoint& file : given.files) {
    const std::string& digest = given.sources[file.checkpoint.path()];
    const auto found =
        std::find_if(missing.begin(), missing.end(), [&](const auto* one) { return one->source() == digest; });
    if (found == missing.end()) {
      others.push_back(&file);
      continue;
    }
    file.choice = {(*found)->layout(), (*found)->state_dict(), (*found)->resampled()};
    missing.erase(found);
  }
  if (given.files.size() > wanted) {
    return IsAnotherFile(stated, others.front()->checkpoint.path(), given.sources[others.front()->checkpoint.path()]);
  }
  if (given.files.size() == wanted) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(stated.path, ": the artifact was made from ", wanted,
                                                 " checkpoints: --checkpoint lacks that of ",
                                                 Brief(missing.front()->part()), ", ", missing.front()->source()));
}

std::string ChoicesText(const std::vector<GivenCheckpoint>& files) {
  return absl::StrJoin(files, " and ", [](std::string* out, const GivenCheckpoint& file) {
    absl::StrAppend(out, "layout ", Brief(file.choice.layout), ", state_dict ",
                    Brief(DictName(file.choice.state_dict.value_or(""))));
  });
}

absl::StatusOr<ArtifactPlan> PlanOf(const Registry& registry, const ArtifactRequest& request, TargetTree tree,
                                    const StatedManifest& stated, const std::vector<std::string>& checkpoints) {
  ASSIGN_OR_RETURN(Given given, Open(checkpoints));
  std::vector<const GivenCheckpoint*> others;
  // A manifest within an artifact names no checkpoints.
  if (stated.is_whole) RETURN_IF_ERROR(ChooseStated(stated, given, others));
  absl::StatusOr<ArtifactPlan> plan = PlanArtifact(registry, request, std::move(tree), given.files);
  if (!plan.ok() && !others.empty()) {
    const std::string& path = others.front()->checkpoint.path();
    return IsAnotherFile(stated, path, given.sources[path]);
  }
  // The files that a manifest names fit, unless it names another layout or state dict of one.
  if (!plan.ok() && stated.is_whole) {
    return Annotate(plan.status(), absl::StrCat(stated.path, ": ", ChoicesText(given.files)));
  }
  RETURN_IF_ERROR(plan.status());
  for (const MappedPart& part : plan->weights.mapped) {
    RETURN_IF_ERROR(VerifyInputs(part.checkpoint, part.plan.sources));
    plan->weights.sources.push_back(given.sources[part.checkpoint.path()]);
  }
  return plan;
}

}  // namespace

absl::Status CheckSourcesOf(const StatedManifest& stated, const ArtifactWeights& weights) {
  const StatedFiles& files = stated.manifest.weights().checkpoints();
  // A manifest within an artifact names none.
  if (files.empty() || !stated.manifest.weights().seeded().empty()) return absl::OkStatus();
  for (size_t i = 0; i < weights.mapped.size(); ++i) {
    const std::string& source = weights.sources[i];
    const auto is_it = [&](const Manifest::Checkpoint& file) { return file.source() == source; };
    if (std::any_of(files.begin(), files.end(), is_it)) continue;
    return IsAnotherFile(stated, weights.mapped[i].checkpoint.path(), source);
  }
  return absl::OkStatus();
}

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

absl::StatusOr<ArtifactPlan> PlanStated(const Registry& registry, const ArtifactRequest& request,
                                        const StatedManifest& stated, const std::vector<std::string>& checkpoints,
                                        const StoredArtifact& file, TargetTree tree) {
  RETURN_IF_ERROR(CheckHoldsTensors(file, tree.kept.tree->slots, request.dtype));
  if (const absl::optional<Seeded> seeded = ParseSeededName(stated.manifest.weights().seeded())) {
    if (!checkpoints.empty()) {
      return absl::FailedPreconditionError(
          absl::StrCat(checkpoints.front(), ": the artifact was made from seeded weights, ",
                       stated.manifest.weights().seeded(), ", and from no checkpoint; leave out --checkpoint"));
    }
    ASSIGN_OR_RETURN(ArtifactPlan plan, PlanArtifact(registry, request, std::move(tree)));
    plan.weights.sources = {SeededName(*seeded)};
    return plan;
  }
  if (stated.is_whole) RETURN_IF_ERROR(CheckSources(stated, request.entry, *tree.model));
  if (!checkpoints.empty()) return PlanOf(registry, request, std::move(tree), stated, checkpoints);
  absl::StatusOr<ArtifactPlan> plan = PlanArtifact(request, std::move(tree), file);
  if (!absl::IsFailedPrecondition(plan.status())) return plan;
  return absl::FailedPreconditionError(
      absl::StrCat(plan.status().message(), "\n  give the checkpoint that it was made from, ",
                   WeightsSource(stated.manifest), ", with --checkpoint; or verify the file alone: --at_least=file"));
}

}  // namespace modelport
