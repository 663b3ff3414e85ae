#include "registry/recognise/nearest_variant.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/keymap/find_dict.h"
#include "common/keymap/key_map.h"
#include "common/keymap/key_mapper.h"
#include "common/keymap/likeness.h"
#include "common/keymap/source_choice.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "common/tensor/shape.h"
#include "registry/recognise/each_variant.h"

namespace modelport {
namespace {

constexpr double kLeastShare = 0.25;
constexpr double kLeastShapeShare = 0.5;
constexpr size_t kMaxTensors = 100000;  // As many as Likeness reads.

// Scores how many slots of module trees have a tensor of their shape, whatever its name.
class ShapeLikeness {
 public:
  // Reads the dictionary that `choice` names, or the one with the most tensors.
  static absl::StatusOr<ShapeLikeness> Make(const Checkpoint& checkpoint, const KeyMap&, const SourceChoice& choice) {
    ASSIGN_OR_RETURN(const StateDict* const dict, ChooseDict(checkpoint, choice.state_dict));
    ShapeLikeness likeness;
    likeness.tensors_ = dict->tensors.size();
    if (likeness.tensors_ > kMaxTensors) return likeness;
    for (const CheckpointTensor& tensor : dict->tensors) ++likeness.counts_[tensor.shape];
    return likeness;
  }

  size_t CountAlike(const ModuleTree& tree) const {
    absl::flat_hash_map<Shape, size_t> slots;
    for (const Slot& slot : tree.slots) ++slots[slot.shape];
    size_t alike = 0;
    for (const auto& [shape, count] : slots) {
      const auto tensors = counts_.find(shape);
      if (tensors != counts_.end()) alike += std::min(count, tensors->second);
    }
    return alike;
  }

  // Of all slots and tensors.
  double Share(size_t alike, const ModuleTree& tree) const { return 2.0 * alike / (tree.slots.size() + tensors_); }

 private:
  size_t tensors_ = 0;
  absl::flat_hash_map<Shape, size_t> counts_;
};

// What keeps `checkpoint` from fitting `entry`.
std::string Differences(const CatalogEntry& entry, const Checkpoint& checkpoint, const SourceChoice& choice) {
  const absl::StatusOr<ModuleTree> tree = BuildModuleTree(entry.plugin->library, entry.variant->module);
  if (!tree.ok()) return "";
  const absl::Status status = MakePlan(checkpoint, entry.plugin->key_map, *tree, choice, entry.variant->name).status();
  return std::string(absl::StripPrefix(status.message(),
                                       absl::StrCat(checkpoint.path(), ": does not fit ", entry.variant->name, " ")));
}

absl::optional<NearestVariant> NearestByNames(const Registry& registry, const Checkpoint& checkpoint,
                                              const SourceChoice& choice) {
  absl::optional<CatalogEntry> nearest;
  Likeness::Score best{kLeastShare, ""};
  ForEachVariant<Likeness>(registry, checkpoint, choice,
                           [&](const Likeness& likeness, const CatalogEntry& entry, const ModuleTree& tree) {
                             const Likeness::Score score = likeness.Of(tree);
                             if (score.share <= best.share) return;
                             best = score;
                             nearest = entry;
                           });
  if (!nearest) return absl::nullopt;
  return NearestVariant{nearest->variant->name, Differences(*nearest, checkpoint, {best.layout, choice.state_dict})};
}

absl::optional<NearestVariant> NearestByShapes(const Registry& registry, const Checkpoint& checkpoint,
                                               const SourceChoice& choice) {
  absl::optional<NearestVariant> nearest;
  double best = kLeastShapeShare;
  ForEachVariant<ShapeLikeness>(
      registry, checkpoint, choice,
      [&](const ShapeLikeness& likeness, const CatalogEntry& entry, const ModuleTree& tree) {
        const size_t alike = likeness.CountAlike(tree);
        const double share = likeness.Share(alike, tree);
        if (share <= best) return;
        best = share;
        nearest = NearestVariant{
            entry.variant->name,
            absl::StrCat("by shapes alone: ", alike, " of its ", tree.slots.size(),
                         " slots have a tensor of their shape; the names are of no layout that it knows\n  ",
                         "--draft prints rules for a layout of its own, to be checked")};
      });
  return nearest;
}

}  // namespace

absl::optional<NearestVariant> FindNearestVariant(const Registry& registry, const Checkpoint& checkpoint,
                                                  const SourceChoice& choice) {
  absl::optional<NearestVariant> nearest = NearestByNames(registry, checkpoint, choice);
  return nearest || choice.layout != "auto" ? nearest : NearestByShapes(registry, checkpoint, choice);
}

}  // namespace modelport
