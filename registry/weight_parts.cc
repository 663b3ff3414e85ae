#include "registry/weight_parts.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "common/text/nearest.h"

namespace modelport {
namespace {

// The child of the root that `slot` belongs to, or the root's own tensor.
absl::string_view ChildOf(const Slot& slot) { return absl::string_view(slot.name).substr(0, slot.name.find('.')); }

absl::StatusOr<WeightPart> MakePart(const Plugin& plugin, const PublishedFile& file, const ModuleTree& tree) {
  WeightPart part{&file, plugin.key_map.FindPart(file.part), TreePart(tree, file.part)};
  if (part.tree.slots.empty()) {
    std::vector<std::string> children;
    for (const ModuleNode::Child& child : tree.root.children) children.push_back(child.name);
    return absl::InvalidArgumentError(absl::StrCat("field \"files\": the root has no child ", file.part,
                                                   " with parameters or buffers", NearestHint(file.part, children)));
  }
  if (part.key_map != nullptr && !part.key_map->layouts.empty()) return part;
  return absl::InvalidArgumentError(
      file.part.empty()
          ? "keymap.yaml has `parts` only, for variants with `files`: name its layouts under `layouts`"
          : absl::StrCat("field \"files\": ", file.part, " has no layouts: name them under `parts` in keymap.yaml"));
}

}  // namespace

std::string WeightPart::SlotName(absl::string_view slot) const {
  return file->part.empty() ? std::string(slot) : absl::StrCat(file->part, ".", slot);
}

std::string WeightPart::Title(const Variant& variant) const {
  return file->part.empty() ? variant.name : absl::StrCat(file->part, " of ", variant.name);
}

absl::StatusOr<std::vector<WeightPart>> SplitWeights(const Plugin& plugin, const Variant& variant,
                                                     const ModuleTree& tree) {
  std::map<absl::string_view, const PublishedFile*> files;
  for (const PublishedFile& file : variant.files) files.emplace(file.part, &file);
  std::vector<WeightPart> parts;
  if (const auto whole = files.find(""); whole != files.end()) {
    ASSIGN_OR_RETURN(WeightPart part, MakePart(plugin, *whole->second, tree));
    parts.push_back(std::move(part));
    return parts;
  }
  absl::string_view last;
  for (const Slot& slot : tree.slots) {
    if (!parts.empty() && ChildOf(slot) == last) continue;
    last = ChildOf(slot);
    const auto file = files.find(last);
    if (file == files.end() || slot.name == last) {
      return absl::InvalidArgumentError(
          absl::StrCat("field \"files\": no file fills ", slot.name, "; the files fill ",
                       absl::StrJoin(variant.files, ", ",
                                     [](std::string* out, const auto& file) { absl::StrAppend(out, file.part); })));
    }
    ASSIGN_OR_RETURN(WeightPart part, MakePart(plugin, *file->second, tree));
    parts.push_back(std::move(part));
    files.erase(file);
  }
  for (const auto& [child, file] : files) RETURN_IF_ERROR(MakePart(plugin, *file, tree).status());
  return parts;
}

absl::optional<WeightPart> WholeTree(const Plugin& plugin, const Variant& variant, const ModuleTree& tree) {
  if (variant.files.size() == 1 || plugin.key_map.layouts.empty()) return absl::nullopt;
  return WeightPart{&variant.whole, &plugin.key_map, TreePart(tree, "")};
}

}  // namespace modelport
