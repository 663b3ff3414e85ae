#include "common/module_tree/tree_part.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace modelport {

ModuleTree TreePart(const ModuleTree& tree, absl::string_view child) {
  const std::string prefix = child.empty() ? "" : absl::StrCat(child, ".");
  ModuleTree part;
  part.library = tree.library;
  for (const Slot& slot : tree.slots) {
    absl::string_view name = slot.name;
    if (!absl::ConsumePrefix(&name, prefix)) continue;
    part.slots.push_back(slot);
    part.slots.back().name = std::string(name);
  }
  return part;
}

}  // namespace modelport
