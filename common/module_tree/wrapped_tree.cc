#include "common/module_tree/wrapped_tree.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/module_tree/tree_builder.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

bool HasMember(const ModuleNode& node, absl::string_view name) {
  const auto is_it = [&](const auto& member) { return member.first == name; };
  return std::any_of(node.constants.begin(), node.constants.end(), is_it) ||
         std::any_of(node.attributes.begin(), node.attributes.end(), is_it) ||
         std::any_of(node.children.begin(), node.children.end(), [&](const auto& child) { return child.name == name; });
}

// Copies `node` and all below it to `copy`, whose path is set. The indices of slots stay.
void CopyNode(const ModuleNode& node, ModuleNode* copy) {
  copy->type = node.type;
  copy->parameters = node.parameters;
  copy->buffers = node.buffers;
  copy->constants = node.constants;
  copy->attributes = node.attributes;
  copy->knobs = node.knobs;
  for (const ModuleNode::Child& child : node.children) CopyNode(*child.node, NewChild(child.name, copy));
}

}  // namespace

absl::StatusOr<ModuleTree> WrapTree(const ModuleTree& model, const Call& wrapper, const Scope& scope,
                                    const Call& call) {
  ASSIGN_OR_RETURN(const Scope arguments, BindArguments(model.root.type->signature, call, Scope()));
  Scope known = scope;
  known.insert(arguments.begin(), arguments.end());
  TreeBuilder builder(model.library, wrapper, &model);
  ModuleTree& tree = builder.tree();
  builder.Build(wrapper, known, YamlMark(), &tree.root);
  if (!tree.slots.empty() || HasMember(tree.root, kWrappedName)) {
    builder.AddProblem(YamlMark(), tree.root,
                       absl::StrCat("a wrapper has neither tensors nor a member \"", kWrappedName, "\" of its own"));
  }
  CopyNode(model.root, NewChild(kWrappedName, &tree.root));
  for (Slot slot : model.slots) {
    slot.name = absl::StrCat(kWrappedName, ".", slot.name);
    tree.slots.push_back(std::move(slot));
  }
  return builder.Finish();
}

}  // namespace modelport
