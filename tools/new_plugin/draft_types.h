#ifndef MODELPORT_TOOLS_NEW_PLUGIN_DRAFT_TYPES_H_
#define MODELPORT_TOOLS_NEW_PLUGIN_DRAFT_TYPES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tools/draft/key_tree.h"

namespace modelport {

// The module types that a checkpoint's keys and shapes suggest.
struct DraftedTypes {
  std::string root;  // The name of the root's type; it has no arguments.
  std::string yaml;  // The fields of `modules` in a modules file, indented by two spaces; a type stands above those
                     // that use it.
  int count = 0;     // The number of types.
  bool lacks_counters = false;  // Some BatchNorm2d have no num_batches_tracked in the file.
};

// Drafts the types for `root`, so that their slots are its tensors. Modules that differ in sizes only share a type,
// whose arguments are these sizes; equal items of a list that follow each other become a `repeat`; Identity() stands
// where an index of a list is absent. A forward returns its input, and its comments name the children.
//   taken      names that types of other families have
//   root_name  the name of the root's type, unless it is taken
DraftedTypes DraftTypes(const KeyNode& root, const std::vector<std::string>& taken, absl::string_view root_name);

// "PatchEmbed" of "patch_embed": a name for a module type, always a valid one but for Python's keywords.
std::string TypeNameOf(absl::string_view name);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_NEW_PLUGIN_DRAFT_TYPES_H_
