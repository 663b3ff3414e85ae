// The parts of a variant's module tree that its published files fill, one each.
#ifndef MODELPORT_REGISTRY_WEIGHT_PARTS_H_
#define MODELPORT_REGISTRY_WEIGHT_PARTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/keymap/key_map.h"
#include "common/module_tree/module_tree.h"
#include "registry/plugin.h"

namespace modelport {

// What one file fills: the whole tree, or one child of its root.
struct WeightPart {
  const PublishedFile* file;  // Of the variant.
  const KeyMap* key_map;      // Of the plugin.
  ModuleTree tree;            // The slots, by their names in the child (common/module_tree/module_tree.h).

  // The name of one of these slots in the whole tree.
  std::string SlotName(absl::string_view slot) const;
  // "dinov2_vits14", or "linear_head of dinov2_vits14_lc1", for messages.
  std::string Title(const Variant& variant) const;
};

// Splits `tree`, the one of `variant`, by the files that fill it, in the order of its slots.
//   InvalidArgument  the files do not fill all of the tree: a slot belongs to none, a child does not exist or has no
//                    slots, or the key map lacks it
absl::StatusOr<std::vector<WeightPart>> SplitWeights(const Plugin& plugin, const Variant& variant,
                                                     const ModuleTree& tree);

// All of `tree`, where several files fill it and a single one can, too, in a layout of the key map's own `layouts`.
// nullopt if there is no such layout, or if a single file is what SplitWeights returns.
absl::optional<WeightPart> WholeTree(const Plugin& plugin, const Variant& variant, const ModuleTree& tree);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_WEIGHT_PARTS_H_
