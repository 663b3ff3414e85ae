#include "artifact/build/build_artifact.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "artifact/build/describe_module.h"
#include "artifact/build/formats.h"
#include "artifact/format/stored_tensors.h"
#include "common/expression/expression.h"
#include "common/module_tree/entry_point.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "common/torchscript/weights/weights.h"
#include "registry/recognise/map_weights.h"
#include "registry/recognise/recognise_model.h"

namespace modelport {
namespace {

// Removes the slots that are left out.
void KeepSlotsOf(const std::set<std::string>& left_out, MappedPart& mapped) {
  const auto is_out = [&](const std::string& slot) { return left_out.count(mapped.part.SlotName(slot)) > 0; };
  Plan& plan = mapped.plan;
  std::vector<Slot> slots;
  std::vector<SlotSource> sources;
  for (size_t i = 0; i < plan.sources.size(); ++i) {
    Slot& slot = mapped.part.tree.slots[i];
    if (is_out(slot.name)) continue;
    slots.push_back(std::move(slot));
    sources.push_back(std::move(plan.sources[i]));
  }
  mapped.part.tree.slots = std::move(slots);
  plan.sources = std::move(sources);
  const auto drop = [](auto& items, const auto& is_dropped) {
    items.erase(std::remove_if(items.begin(), items.end(), is_dropped), items.end());
  };
  drop(plan.changed, [&](const ChangedSlot& changed) { return is_out(changed.slot); });
  drop(plan.aliases, [&](const auto& alias) { return is_out(alias.first); });
}

// `request` with the sizes that its host fixes, those that the model leaves open: the target's, and of a wrapper's
// image the channels that its interface names.
ArtifactRequest WithSizesOfHost(ArtifactRequest request, const TargetTree& tree) {
  std::map<std::string, int64_t> sizes = request.target->onnx.sizes;
  if (!sizes.empty() && tree.whole->interface) sizes.emplace("C", tree.whole->interface->channels_in.size());
  const EntryPoint* const forward = FindEntryPoint(tree.whole->entry_points, "forward");
  if (sizes.empty() || forward == nullptr) return request;
  const std::set<std::string> letters = InputSymbols(*forward);
  for (const auto& [letter, size] : sizes) {
    if (letters.count(letter) > 0) request.sizes.emplace(letter, size);
  }
  return request;
}

}  // namespace

absl::StatusOr<ArtifactPlan> PlanArtifact(const Registry& registry, const ArtifactRequest& request) {
  ASSIGN_OR_RETURN(TargetTree tree, BuildTargetTree(request));
  return PlanArtifact(registry, request, std::move(tree));
}

absl::StatusOr<ArtifactPlan> PlanArtifact(const Registry& registry, const ArtifactRequest& request, TargetTree tree) {
  ASSIGN_OR_RETURN(std::vector<MappedPart> mapped,
                   MapWeights(FittingHint(registry), request.entry, *tree.model, request.weights));
  return ArtifactPlan{std::move(tree), {.mapped = std::move(mapped)}};
}

absl::StatusOr<ArtifactPlan> PlanArtifact(const Registry& registry, const ArtifactRequest& request, TargetTree tree,
                                          const std::vector<GivenCheckpoint>& given) {
  ASSIGN_OR_RETURN(std::vector<MappedPart> mapped, MapGiven(FittingHint(registry), request.entry, *tree.model, given));
  return ArtifactPlan{std::move(tree), {.mapped = std::move(mapped)}};
}

absl::StatusOr<ArtifactPlan> PlanArtifact(const ArtifactRequest& request, TargetTree tree, const StoredArtifact& file) {
  ASSIGN_OR_RETURN(BoundTensors bound, BorrowTensors(file, tree.kept.tree->slots, request.dtype));
  return ArtifactPlan{std::move(tree), {.bound = {std::move(bound)}}};
}

absl::StatusOr<ArtifactWeights> BindWeights(const ArtifactRequest& request, ArtifactPlan plan,
                                            const std::string& made) {
  RETURN_IF_ERROR(BindParts(plan.tree.kept, request.dtype, made, plan.weights));
  return std::move(plan.weights);
}

absl::StatusOr<Artifact> BuildArtifact(const ArtifactRequest& request, ArtifactPlan plan, const std::string& made) {
  Artifact artifact = {.tree = plan.tree};
  ASSIGN_OR_RETURN(artifact.weights, BindWeights(request, std::move(plan), made));
  ASSIGN_OR_RETURN(artifact.built, BuildTargetModule(request, *artifact.tree.whole, artifact.weights.bound,
                                                     FormatOf(*request.target).holds_forward_alone()));
  const auto& [plugin, variant] = request.entry;
  ASSIGN_OR_RETURN(artifact.examples, artifact.tree.is_wrapped() ? artifact.tree.whole->interface->examples
                                                                 : ExamplesOf(*plugin, *variant));
  return artifact;
}

absl::StatusOr<FormattedArtifact> FormatArtifact(const ArtifactRequest& wanted, Artifact artifact) {
  const ArtifactRequest request = WithSizesOfHost(wanted, artifact.tree);
  const ArtifactFormat& format = FormatOf(*request.target);
  ASSIGN_OR_RETURN(std::unique_ptr<PreparedArtifact> prepared, format.Prepare(request, artifact.built));
  const auto& [plugin, variant] = request.entry;
  ASSIGN_OR_RETURN(const Preprocessing preprocessing, PreprocessingOf(*plugin, *variant));
  Manifest manifest = DescribeModule(request, preprocessing, artifact.tree, format, *prepared, artifact.built);
  return FormattedArtifact{std::move(artifact), &format, std::move(prepared), std::move(manifest)};
}

absl::Status BindParts(const KeptOutputs& kept, DType dtype, const std::string& made, ArtifactWeights& weights) {
  const std::set<std::string> left_out(kept.left_out_slots.begin(), kept.left_out_slots.end());
  for (MappedPart& mapped : weights.mapped) {
    if (!left_out.empty()) KeepSlotsOf(left_out, mapped);
    ASSIGN_OR_RETURN(BoundTensors tensors, BindTensors(mapped.checkpoint, mapped.plan, mapped.part.tree, dtype, made));
    weights.bound.push_back(std::move(tensors));
  }
  return absl::OkStatus();
}

absl::Status WithPaths(const absl::Status& error, const ArtifactRequest& request) {
  return absl::Status(error.code(), request.entry.plugin->library->WithPaths(error.message()));
}

absl::Status CheckUnchanged(const ArtifactWeights& weights) {
  for (const MappedPart& mapped : weights.mapped) RETURN_IF_ERROR(mapped.checkpoint.CheckUnchanged());
  return absl::OkStatus();
}

}  // namespace modelport
