#include "common/module_tree/module_tree.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "common/module_tree/tree_builder.h"
#include "common/status/status_macros.h"
#include "common/text/dotted_path.h"

namespace modelport {
namespace {

const Value* FindBelow(const ModuleNode& node, absl::string_view path) {
  for (const auto& [name, value] : node.constants) {
    if (JoinPath(node.path, name) == path) return &value;
  }
  for (const ModuleNode::Child& child : node.children) {
    if (const Value* const value = FindBelow(*child.node, path)) return value;
  }
  return nullptr;
}

bool HasMember(const ModuleNode& node, absl::string_view name) {
  const auto is_it = [&](const auto& member) { return member.first == name; };
  return std::any_of(node.constants.begin(), node.constants.end(), is_it) ||
         std::any_of(node.attributes.begin(), node.attributes.end(), is_it) ||
         std::any_of(node.children.begin(), node.children.end(), [&](const auto& child) { return child.name == name; });
}

// Copies `node` and all below it to `copy`, whose path is set. The indices of slots stay.
void CopyNode(const ModuleNode& node, ModuleNode* copy) {
  copy->type = node.type;
  copy->arguments = node.arguments;
  copy->parameters = node.parameters;
  copy->buffers = node.buffers;
  copy->constants = node.constants;
  copy->attributes = node.attributes;
  copy->knobs = node.knobs;
  for (const ModuleNode::Child& child : node.children) CopyNode(*child.node, NewChild(child.name, copy));
}

}  // namespace

absl::StatusOr<Knob> MakeKnob(const ValueDecl& decl, const Value& value, const Scope& scope) {
  ASSIGN_OR_RETURN(const Value min, decl.knob->min.Evaluate(scope));
  ASSIGN_OR_RETURN(const Value max, decl.knob->max.Evaluate(scope));
  const absl::optional<double> number = NumberOf(value), least = NumberOf(min), greatest = NumberOf(max);
  if (least && greatest && *least > *greatest) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", decl.name, "\": min is ", ValueString(min), ", above max, ", ValueString(max)));
  }
  if (!number || !least || !greatest || *number < *least || *number > *greatest) {
    return absl::InvalidArgumentError(absl::StrCat("\"", decl.name, "\" wants a number from ", ValueString(min), " to ",
                                                   ValueString(max), ", has ", ValueString(value)));
  }
  const bool is_integer = std::holds_alternative<int64_t>(value);
  const std::vector<std::string>& choices = decl.knob->choices;
  if (!choices.empty() && (!is_integer || *least != 0 || static_cast<double>(choices.size()) != *greatest + 1)) {
    return absl::InvalidArgumentError(absl::StrCat("\"", decl.name, "\" has ", choices.size(),
                                                   " choices: wants an integer from 0 to ", choices.size() - 1));
  }
  return Knob{decl.name, is_integer, *number, *least, *greatest, decl.knob->help, choices};
}

absl::StatusOr<ModuleTree> BuildModuleTree(std::shared_ptr<const ModuleLibrary> library, const Call& call) {
  TreeBuilder builder(std::move(library), call);
  builder.Build(call, Scope(), YamlMark(), &builder.tree().root);
  return builder.Finish();
}

int64_t CountParameters(const ModuleTree& tree) {
  int64_t count = 0;  // The budget of a tree bounds it.
  for (const Slot& slot : tree.slots) count += slot.is_buffer ? 0 : *ElementCount(slot.shape);
  return count;
}

const Value* FindConstant(const ModuleTree& tree, absl::string_view path) { return FindBelow(tree.root, path); }

const ModuleNode* FindModule(const ModuleTree& tree, absl::string_view path) {
  const ModuleNode* node = &tree.root;
  if (path.empty()) return node;
  for (const absl::string_view name : absl::StrSplit(path, '.')) {
    const std::vector<ModuleNode::Child>& children = node->children;
    const auto child =
        std::find_if(children.begin(), children.end(), [&](const ModuleNode::Child& c) { return c.name == name; });
    if (child == children.end()) return nullptr;
    node = child->node.get();
  }
  return node;
}

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
