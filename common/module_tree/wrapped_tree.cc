#include "common/module_tree/wrapped_tree.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/module_tree/tree_builder.h"

namespace modelport {
namespace {

bool HasMember(const ModuleNode& node, absl::string_view name) {
  const auto is_it = [&](const auto& member) { return member.first == name; };
  return std::any_of(node.constants.begin(), node.constants.end(), is_it) ||
         std::any_of(node.attributes.begin(), node.attributes.end(), is_it) ||
         std::any_of(node.children.begin(), node.children.end(), [&](const auto& child) { return child.name == name; });
}

// `scope` and the arguments of `call`. Errors in these arguments are reported when `call` itself is built.
Scope WithArguments(Scope scope, const ModuleLibrary& library, const Call& call) {
  const ModuleType* type = library.Find(call.type);
  if (type == nullptr) return scope;
  const absl::StatusOr<Scope> arguments = BindArguments(type->signature, call, Scope());
  if (arguments.ok()) scope.insert(arguments->begin(), arguments->end());
  return scope;
}

}  // namespace

absl::StatusOr<ModuleTree> BuildWrappedTree(std::shared_ptr<const ModuleLibrary> library, const Call& wrapper,
                                            const Scope& scope, const Call& call) {
  TreeBuilder builder(library, wrapper);
  ModuleNode& root = builder.tree().root;
  builder.Build(wrapper, WithArguments(scope, *library, call), YamlMark(), &root);
  if (!builder.tree().slots.empty() || HasMember(root, kWrappedName)) {
    builder.AddProblem(YamlMark(), root,
                       absl::StrCat("a wrapper has neither tensors nor a member \"", kWrappedName, "\" of its own"));
  }
  builder.Build(call, Scope(), YamlMark(), NewChild(kWrappedName, &root));
  return builder.Finish();
}

}  // namespace modelport
