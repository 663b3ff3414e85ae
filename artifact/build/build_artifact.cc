#include "artifact/build/build_artifact.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
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

// Plans with the weights that `map` finds for the variant's tree.
absl::StatusOr<ArtifactPlan> PlanWith(
    const ArtifactRequest& request,
    absl::FunctionRef<absl::StatusOr<std::vector<MappedPart>>(const ModuleTree& tree)> map) {
  ASSIGN_OR_RETURN(TargetTree tree, BuildTargetTree(request));
  ASSIGN_OR_RETURN(std::vector<MappedPart> mapped, map(*tree.model));
  return ArtifactPlan{std::move(tree), {.mapped = std::move(mapped)}};
}

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

// The letters of the sizes of forward's inputs.
std::set<std::string> LettersOf(const ModuleTree& tree) {
  std::set<std::string> letters;
  const EntryPoint* const forward = FindEntryPoint(tree.entry_points, "forward");
  if (forward == nullptr) return letters;
  for (const Port& port : forward->inputs) {
    if (!port.shape) continue;
    for (const Expression& size : *port.shape) letters.insert(size.text());
  }
  return letters;
}

// `request` with the sizes that its host fixes, those that the model leaves open: the target's, and of a wrapper's
// image the channels that its interface names.
ArtifactRequest WithSizesOfHost(ArtifactRequest request, const TargetTree& tree) {
  std::map<std::string, int64_t> sizes = request.target->sizes;
  if (!sizes.empty() && tree.whole->interface) sizes.emplace("C", tree.whole->interface->channels_in.size());
  const std::set<std::string> letters = LettersOf(*tree.whole);
  for (const auto& [letter, size] : sizes) {
    if (letters.count(letter) > 0) request.sizes.emplace(letter, size);
  }
  return request;
}

}  // namespace

absl::StatusOr<ArtifactPlan> PlanArtifact(const Registry& registry, const ArtifactRequest& request) {
  return PlanWith(request, [&](const ModuleTree& tree) {
    return MapWeights(FittingHint(registry), request.entry, tree, request.weights);
  });
}

absl::StatusOr<ArtifactPlan> PlanArtifact(const Registry& registry, const ArtifactRequest& request,
                                          const std::vector<GivenCheckpoint>& given) {
  return PlanWith(request,
                  [&](const ModuleTree& tree) { return MapGiven(FittingHint(registry), request.entry, tree, given); });
}

absl::StatusOr<ArtifactPlan> PlanArtifact(const ArtifactRequest& request, const StoredArtifact& file) {
  ASSIGN_OR_RETURN(TargetTree tree, BuildTargetTree(request));
  ASSIGN_OR_RETURN(BoundTensors bound, BorrowTensors(file, tree.kept.tree->slots, request.dtype));
  return ArtifactPlan{std::move(tree), {.bound = {std::move(bound)}}};
}

absl::StatusOr<ArtifactWeights> BindWeights(const ArtifactRequest& request, ArtifactPlan plan,
                                            const std::string& made) {
  RETURN_IF_ERROR(BindParts(plan.tree.kept, request.dtype, made, plan.weights));
  return std::move(plan.weights);
}

absl::StatusOr<Artifact> BuildArtifact(const ArtifactRequest& wanted, ArtifactPlan plan, const std::string& made) {
  Artifact artifact = {.format = &FormatOf(*wanted.target), .tree = plan.tree};
  const ArtifactRequest request = WithSizesOfHost(wanted, artifact.tree);
  ASSIGN_OR_RETURN(artifact.weights, BindWeights(request, std::move(plan), made));
  ASSIGN_OR_RETURN(artifact.built, BuildTargetModule(request, *artifact.tree.whole, artifact.weights.bound,
                                                     artifact.format->holds_forward_alone()));
  ASSIGN_OR_RETURN(artifact.prepared, artifact.format->Prepare(request, artifact.built));
  const auto& [plugin, variant] = request.entry;
  ASSIGN_OR_RETURN(artifact.examples, artifact.tree.is_wrapped() ? artifact.tree.whole->interface->examples
                                                                 : ExamplesOf(*plugin, *variant));
  ASSIGN_OR_RETURN(const Preprocessing preprocessing, PreprocessingOf(*plugin, *variant));
  artifact.manifest = DescribeModule(request, preprocessing, artifact.tree, *artifact.prepared, artifact.built);
  // They are constants in such a file.
  if (artifact.format->holds_forward_alone()) artifact.manifest.clear_knobs();
  return artifact;
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

absl::Status CheckUnchanged(const ArtifactWeights& weights) {
  for (const MappedPart& mapped : weights.mapped) RETURN_IF_ERROR(mapped.checkpoint.CheckUnchanged());
  return absl::OkStatus();
}

}  // namespace modelport
