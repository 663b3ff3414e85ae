#include "common/module_tree/module_tree.h"

#include <utility>

#include "common/module_tree/tree_builder.h"

namespace modelport {

absl::StatusOr<ModuleTree> BuildModuleTree(std::shared_ptr<const ModuleLibrary> library, const Call& call) {
  TreeBuilder builder(std::move(library), call);
  builder.Build(call, Scope(), YamlMark(), &builder.tree().root);
  return builder.Finish();
}

}  // namespace modelport
