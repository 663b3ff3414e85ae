#include "common/module_tree/tree_builder.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/module_tree/evaluate_entry_points.h"
#include "common/status/status_macros.h"
#include "common/text/dotted_path.h"
#include "common/text/nearest.h"

namespace modelport {
namespace {

// Arguments and members that instantiating `type` evaluates, including members whose condition is false.
int64_t CountMembers(const ModuleType& type) {
  return type.signature.arguments.size() + type.parameters.size() + type.buffers.size() + type.constants.size() +
         type.attributes.size() + type.children.size();
}

}  // namespace

ModuleNode* NewChild(const std::string& name, ModuleNode* parent) {
  auto node = std::make_unique<ModuleNode>();
  node->path = JoinPath(parent->path, name);
  parent->children.push_back({name, std::move(node)});
  return parent->children.back().node.get();
}

TreeBuilder::TreeBuilder(std::shared_ptr<const ModuleLibrary> library, const Call& root, const ModuleTree* wrapped)
    : wrapped_(wrapped), problems_(root.text) {
  tree_.library = std::move(library);
}

absl::StatusOr<ModuleTree> TreeBuilder::Finish() {
  RETURN_IF_ERROR(problems_.status());
  return std::move(tree_);
}

void TreeBuilder::Build(const Call& call, const Scope& caller, const YamlMark& mark, ModuleNode* node) {
  const ModuleType* type = Resolve(call, caller, mark, *node);
  if (type == nullptr || !Enter(*type, mark, *node)) return;
  node->type = type;
  ++depth_;
  const absl::optional<Scope> scope = Valid(BindArguments(type->signature, call, caller), mark, *node);
  if (scope.has_value()) {
    CheckTypeArguments(*scope, mark, *node);
    AddTensors(type->parameters, /*is_buffer=*/false, *scope, *node, &node->parameters);
    AddTensors(type->buffers, /*is_buffer=*/true, *scope, *node, &node->buffers);
    AddValues(type->constants, *scope, node, &node->constants);
    AddValues(type->attributes, *scope, node, &node->attributes);
    if (type->interface.has_value() && node->path.empty()) AddInterface(*type->interface, *scope, *node);
    for (const ChildDecl& child : type->children) AddChild(child, *scope, node);
    // A tree without problems has no type that contains itself.
    if (node->path.empty() && problems_.size() == 0) {
      tree_.entry_points = EvaluateEntryPoints(*type, *scope, *tree_.library, wrapped_, &problems_);
    }
  }
  --depth_;
  open_.pop_back();
}

// The type that `call` names, directly or through an argument.
const ModuleType* TreeBuilder::Resolve(const Call& call, const Scope& caller, const YamlMark& mark,
                                       const ModuleNode& node) {
  std::string name = call.type;
  if (const auto argument = caller.find(name); argument != caller.end()) {
    const auto* type_name = std::get_if<TypeName>(&argument->second);
    if (type_name == nullptr) {
      AddProblem(mark, node,
                 absl::StrCat("argument \"", name, "\" wants a module type, has ", ValueString(argument->second)));
      return nullptr;
    }
    name = type_name->name;
  }
  const ModuleType* type = tree_.library->Find(name);
  if (type == nullptr) {
    AddProblem(mark, node,
               absl::StrCat("unknown module type \"", name, "\"", NearestHint(name, tree_.library->names())));
  }
  return type;
}

bool TreeBuilder::Enter(const ModuleType& type, const YamlMark& mark, const ModuleNode& node) {
  if (std::find(open_.begin(), open_.end(), &type) != open_.end()) {
    AddProblem(mark, node, absl::StrCat("module type ", type.name(), " contains itself"));
    return false;
  }
  const int64_t members = CountMembers(type);
  if (!Affords(budget_.AddModule(depth_ + 1), mark, node) ||
      !Affords(budget_.AddMembers(members, members), mark, node)) {
    return false;
  }
  open_.push_back(&type);
  return true;
}

// A misspelt argument evaluates to a TypeName. Reports it at the call that passes it.
void TreeBuilder::CheckTypeArguments(const Scope& scope, const YamlMark& mark, const ModuleNode& node) {
  for (const auto& [argument, value] : scope) {
    const auto* type = std::get_if<TypeName>(&value);
    if (type == nullptr || tree_.library->Find(type->name) != nullptr) continue;
    AddProblem(mark, node,
               absl::StrCat("argument \"", argument, "\" of ", node.type->name(), ": unknown name \"", type->name, "\"",
                            NearestHint(type->name, tree_.library->names())));
  }
}

void TreeBuilder::AddTensors(const std::vector<TensorDecl>& tensors, bool is_buffer, const Scope& scope,
                             const ModuleNode& node, std::vector<ModuleNode::Tensor>* added) {
  for (const TensorDecl& tensor : tensors) {
    if (!Holds(tensor.when, scope, tensor.mark, node)) continue;
    absl::optional<Shape> shape = EvaluateShape(tensor, scope, node);
    if (!shape.has_value()) continue;
    added->push_back({tensor.name, static_cast<int>(tree_.slots.size())});
    tree_.slots.push_back({JoinPath(node.path, tensor.name), *std::move(shape), is_buffer, tensor.dtype});
  }
}

absl::optional<Shape> TreeBuilder::EvaluateShape(const TensorDecl& tensor, const Scope& scope, const ModuleNode& node) {
  Shape shape;
  for (const Expression& expression : tensor.shape) {
    const absl::optional<int64_t> size = Valid(expression.EvaluateInt(scope), tensor.mark, node);
    if (!size.has_value()) return absl::nullopt;
    if (*size <= 0) {
      AddProblem(tensor.mark, node, absl::StrCat("size ", expression.text(), " of \"", tensor.name, "\" is ", *size));
      return absl::nullopt;
    }
    shape.push_back(*size);
  }
  const absl::optional<int64_t> elements = ElementCount(shape);
  if (!elements.has_value()) {
    AddProblem(tensor.mark, node, absl::StrCat("\"", tensor.name, "\" ", ShapeString(shape), " is too large"));
    return absl::nullopt;
  }
  if (!Affords(budget_.AddElements(*elements), tensor.mark, node)) return absl::nullopt;
  return shape;
}

void TreeBuilder::AddValues(const std::vector<ValueDecl>& values, const Scope& scope, ModuleNode* node,
                            std::vector<std::pair<std::string, Value>>* added) {
  for (const ValueDecl& decl : values) {
    if (!Holds(decl.when, scope, decl.mark, *node)) continue;
    absl::optional<Value> value = Valid(decl.value.Evaluate(scope), decl.mark, *node);
    if (!value.has_value()) continue;
    if (std::holds_alternative<TypeName>(*value)) {
      AddProblem(decl.mark, *node,
                 absl::StrCat("\"", decl.name, "\" wants a value, has the name ", ValueString(*value)));
      continue;
    }
    if (decl.knob.has_value()) {
      absl::optional<Knob> knob = Valid(MakeKnob(decl, *value, scope), decl.mark, *node);
      if (knob.has_value()) node->knobs.push_back(*std::move(knob));
    }
    added->emplace_back(decl.name, *std::move(value));
  }
}

void TreeBuilder::AddInterface(const InterfaceDecl& decl, const Scope& scope, const ModuleNode& root) {
  Interface interface = decl.stated;
  if (decl.multiple_of.has_value()) {
    interface.multiple_of = Valid(decl.multiple_of->EvaluateInt(scope), decl.mark, root).value_or(1);
    if (interface.multiple_of < 1) {
      AddProblem(decl.mark, root,
                 absl::StrCat("multiple_of ", decl.multiple_of->text(), " is ", interface.multiple_of));
    }
  }
  tree_.interface = std::move(interface);
}

void TreeBuilder::AddChild(const ChildDecl& child, const Scope& scope, ModuleNode* node) {
  if (stopped() || !Holds(child.when, scope, child.mark, *node)) return;
  AddModule(child.module, scope, NewChild(child.name, node));
}

void TreeBuilder::AddModule(const ModuleEntry& entry, const Scope& scope, ModuleNode* node) {
  if (entry.kind == ModuleEntry::Kind::kCall) return Build(entry.call, scope, entry.mark, node);
  if (!Affords(budget_.AddModule(depth_ + 1), entry.mark, *node)) return;
  ++depth_;
  for (const ModuleEntry& item : entry.items) AddItems(item, scope, node);
  --depth_;
}

// Adds `item` to `list`, `repeat` times. An item that adds nothing counts as a member too: evaluating it takes time.
void TreeBuilder::AddItems(const ModuleEntry& item, const Scope& scope, ModuleNode* list) {
  const auto afford = [&] { return Affords(budget_.AddMembers(1, list->children.size() + 1), item.mark, *list); };
  if (stopped() || !afford() || !Holds(item.when, scope, item.mark, *list)) return;
  int64_t repeat = 1;
  if (item.repeat.has_value()) repeat = Valid(item.repeat->EvaluateInt(scope), item.mark, *list).value_or(0);
  if (repeat < 0) AddProblem(item.mark, *list, absl::StrCat("repeat ", item.repeat->text(), " is ", repeat));
  const size_t problems_before = problems_.size();
  for (int64_t i = 0; i < repeat && !stopped(); ++i) {
    if (i > 0 && !afford()) return;
    if (item.kind == ModuleEntry::Kind::kGroup) {
      for (const ModuleEntry& member : item.items) AddItems(member, scope, list);
    } else {
      AddModule(item, scope, NewChild(absl::StrCat(list->children.size()), list));
    }
    // The other repetitions would have the same problems.
    if (problems_.size() > problems_before) break;
  }
}

bool TreeBuilder::Affords(const absl::Status& status, const YamlMark& mark, const ModuleNode& node) {
  if (!status.ok() && !exhausted_) AddProblem(mark, node, status.message());
  exhausted_ = exhausted_ || !status.ok();
  return !exhausted_;
}

template <typename T>
absl::optional<T> TreeBuilder::Valid(absl::StatusOr<T> value, const YamlMark& mark, const ModuleNode& node) {
  if (value.ok()) return *std::move(value);
  AddProblem(mark, node, value.status().message());
  return absl::nullopt;
}

bool TreeBuilder::Holds(const absl::optional<Expression>& condition, const Scope& scope, const YamlMark& mark,
                        const ModuleNode& node) {
  if (!condition.has_value()) return true;
  return Valid(condition->EvaluateCondition(scope), mark, node).value_or(false);
}

void TreeBuilder::AddProblem(const YamlMark& mark, const ModuleNode& node, absl::string_view message) {
  problems_.Add(mark, node.path.empty() ? std::string(message) : absl::StrCat(node.path, ": ", message));
}

}  // namespace modelport
