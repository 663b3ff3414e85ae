#include "common/module_tree/module_tree.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"
#include "common/text/nearest.h"
#include "common/yaml/problems.h"

namespace modelport {
namespace {

// Far above any model's; a bound on what a slip such as `repeat: dim * dim * dim` can allocate.
constexpr int kMaxModules = 100000;

std::string Join(absl::string_view path, absl::string_view name) {
  return path.empty() ? std::string(name) : absl::StrCat(path, ".", name);
}

class TreeBuilder {
 public:
  TreeBuilder(const ModuleLibrary& library, const Call& root) : library_(library), problems_(root.text) {}

  // Instantiates `call`, made at `mark` from a type with the arguments `caller`, into `node`, whose path is set.
  void Build(const Call& call, const Scope& caller, const YamlMark& mark, ModuleNode* node);

  // Instantiates `wrapper` into `root`, and `call` into its child "model".
  void BuildWrapped(const Call& wrapper, const Scope& scope, const Call& call, ModuleNode* root);

  absl::Status status() const { return problems_.status(); }
  std::vector<Slot> TakeSlots() { return std::move(slots_); }

 private:
  const ModuleType* Resolve(const Call& call, const Scope& caller, const YamlMark& mark, const ModuleNode& node);
  bool Enter(const ModuleType& type, const YamlMark& mark, const ModuleNode& node);
  bool Count(const YamlMark& mark, const ModuleNode& node);
  void CheckTypeArguments(const Scope& scope, const YamlMark& mark, const ModuleNode& node);
  void AddTensors(const std::vector<TensorDecl>& tensors, bool is_buffer, const Scope& scope, const ModuleNode& node,
                  std::vector<ModuleNode::Tensor>* added);
  void AddValues(const std::vector<ValueDecl>& values, const Scope& scope, ModuleNode* node,
                 std::vector<std::pair<std::string, Value>>* added);
  void AddChild(const ChildDecl& child, const Scope& scope, ModuleNode* node);
  void AddModule(const ModuleEntry& entry, const Scope& scope, ModuleNode* node);
  void AddItems(const ModuleEntry& item, const Scope& scope, ModuleNode* list);

  // The value, or nothing and a problem.
  template <typename T>
  absl::optional<T> Valid(absl::StatusOr<T> value, const YamlMark& mark, const ModuleNode& node);
  bool Holds(const absl::optional<Expression>& condition, const Scope& scope, const YamlMark& mark,
             const ModuleNode& node);
  absl::optional<Shape> EvaluateShape(const TensorDecl& tensor, const Scope& scope, const ModuleNode& node);
  void AddProblem(const YamlMark& mark, const ModuleNode& node, absl::string_view message);

  const ModuleLibrary& library_;
  YamlProblems problems_;
  std::vector<Slot> slots_;
  std::vector<const ModuleType*> open_;  // Types from the root to the module being built.
  int modules_ = 0;
};

ModuleNode* NewChild(const std::string& name, ModuleNode* parent) {
  auto node = std::make_unique<ModuleNode>();
  node->path = Join(parent->path, name);
  parent->children.push_back({name, std::move(node)});
  return parent->children.back().node.get();
}

void TreeBuilder::Build(const Call& call, const Scope& caller, const YamlMark& mark, ModuleNode* node) {
  const ModuleType* type = Resolve(call, caller, mark, *node);
  if (type == nullptr || !Enter(*type, mark, *node)) return;
  node->type = type;
  const absl::optional<Scope> scope = Valid(BindArguments(type->signature, call, caller), mark, *node);
  if (scope.has_value()) {
    CheckTypeArguments(*scope, mark, *node);
    AddTensors(type->parameters, /*is_buffer=*/false, *scope, *node, &node->parameters);
    AddTensors(type->buffers, /*is_buffer=*/true, *scope, *node, &node->buffers);
    AddValues(type->constants, *scope, node, &node->constants);
    AddValues(type->attributes, *scope, node, &node->attributes);
    for (const ChildDecl& child : type->children) AddChild(child, *scope, node);
  }
  open_.pop_back();
}

bool HasMember(const ModuleNode& node, absl::string_view name) {
  const auto is_it = [&](const auto& member) { return member.first == name; };
  return std::any_of(node.constants.begin(), node.constants.end(), is_it) ||
         std::any_of(node.attributes.begin(), node.attributes.end(), is_it) ||
         std::any_of(node.children.begin(), node.children.end(), [&](const auto& child) { return child.name == name; });
}

void TreeBuilder::BuildWrapped(const Call& wrapper, const Scope& scope, const Call& call, ModuleNode* root) {
  Scope caller = scope;
  if (const ModuleType* type = library_.Find(call.type)) {
    const absl::StatusOr<Scope> arguments = BindArguments(type->signature, call, Scope());
    if (arguments.ok()) caller.insert(arguments->begin(), arguments->end());
  }
  Build(wrapper, caller, YamlMark(), root);
  if (!slots_.empty() || HasMember(*root, kWrappedName)) {
    AddProblem(YamlMark(), *root, "a wrapper has neither tensors nor a member \"model\" of its own");
  }
  Build(call, Scope(), YamlMark(), NewChild(kWrappedName, root));
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
  const ModuleType* type = library_.Find(name);
  if (type == nullptr) {
    AddProblem(mark, node, absl::StrCat("unknown module type \"", name, "\"", NearestHint(name, library_.names())));
  }
  return type;
}

bool TreeBuilder::Enter(const ModuleType& type, const YamlMark& mark, const ModuleNode& node) {
  if (std::find(open_.begin(), open_.end(), &type) != open_.end()) {
    AddProblem(mark, node, absl::StrCat("module type ", type.name(), " contains itself"));
    return false;
  }
  if (!Count(mark, node)) return false;
  open_.push_back(&type);
  return true;
}

// Whether one more module or list is not too many.
bool TreeBuilder::Count(const YamlMark& mark, const ModuleNode& node) {
  if (++modules_ == kMaxModules + 1) AddProblem(mark, node, absl::StrCat("more than ", kMaxModules, " modules"));
  return modules_ <= kMaxModules;
}

// A misspelt argument reads as a module type's name: find it here, where it is given.
void TreeBuilder::CheckTypeArguments(const Scope& scope, const YamlMark& mark, const ModuleNode& node) {
  for (const auto& [argument, value] : scope) {
    const auto* type = std::get_if<TypeName>(&value);
    if (type == nullptr || library_.Find(type->name) != nullptr) continue;
    AddProblem(mark, node,
               absl::StrCat("argument \"", argument, "\" of ", node.type->name(), ": unknown name \"", type->name, "\"",
                            NearestHint(type->name, library_.names())));
  }
}

void TreeBuilder::AddTensors(const std::vector<TensorDecl>& tensors, bool is_buffer, const Scope& scope,
                             const ModuleNode& node, std::vector<ModuleNode::Tensor>* added) {
  for (const TensorDecl& tensor : tensors) {
    if (!Holds(tensor.when, scope, tensor.mark, node)) continue;
    absl::optional<Shape> shape = EvaluateShape(tensor, scope, node);
    if (!shape.has_value()) continue;
    added->push_back({tensor.name, static_cast<int>(slots_.size())});
    slots_.push_back({Join(node.path, tensor.name), *std::move(shape), is_buffer});
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
  if (ElementCount(shape).has_value()) return shape;
  AddProblem(tensor.mark, node, absl::StrCat("\"", tensor.name, "\" ", ShapeString(shape), " is too large"));
  return absl::nullopt;
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

void TreeBuilder::AddChild(const ChildDecl& child, const Scope& scope, ModuleNode* node) {
  if (!Holds(child.when, scope, child.mark, *node)) return;
  AddModule(child.module, scope, NewChild(child.name, node));
}

void TreeBuilder::AddModule(const ModuleEntry& entry, const Scope& scope, ModuleNode* node) {
  if (!entry.is_list) return Build(entry.call, scope, entry.mark, node);
  if (!Count(entry.mark, *node)) return;
  for (const ModuleEntry& item : entry.items) AddItems(item, scope, node);
}

// Adds `item`, as often as it says, to `list`.
void TreeBuilder::AddItems(const ModuleEntry& item, const Scope& scope, ModuleNode* list) {
  int64_t repeat = 1;
  if (item.repeat.has_value()) repeat = Valid(item.repeat->EvaluateInt(scope), item.mark, *list).value_or(0);
  if (repeat < 0) AddProblem(item.mark, *list, absl::StrCat("repeat ", item.repeat->text(), " is ", repeat));
  const size_t problems_before = problems_.size();
  for (int64_t i = 0; i < repeat; ++i) {
    AddModule(item, scope, NewChild(absl::StrCat(list->children.size()), list));
    // The next ones are the same: their problems would be, too.
    if (problems_.size() > problems_before) break;
  }
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
  const absl::optional<Value> value = Valid(condition->Evaluate(scope), mark, node);
  if (!value.has_value()) return false;
  if (const bool* boolean = std::get_if<bool>(&*value)) return *boolean;
  return Valid(condition->EvaluateInt(scope), mark, node).value_or(0) != 0;
}

void TreeBuilder::AddProblem(const YamlMark& mark, const ModuleNode& node, absl::string_view message) {
  problems_.Add(mark, node.path.empty() ? std::string(message) : absl::StrCat(node.path, ": ", message));
}

}  // namespace

absl::StatusOr<ModuleTree> BuildModuleTree(std::shared_ptr<const ModuleLibrary> library, const Call& call) {
  TreeBuilder builder(*library, call);
  ModuleTree tree;
  builder.Build(call, Scope(), YamlMark(), &tree.root);
  RETURN_IF_ERROR(builder.status());
  tree.library = std::move(library);
  tree.slots = builder.TakeSlots();
  return tree;
}

absl::StatusOr<ModuleTree> BuildWrappedTree(std::shared_ptr<const ModuleLibrary> library, const Call& wrapper,
                                            const Scope& scope, const Call& call) {
  TreeBuilder builder(*library, wrapper);
  ModuleTree tree;
  builder.BuildWrapped(wrapper, scope, call, &tree.root);
  RETURN_IF_ERROR(builder.status());
  tree.library = std::move(library);
  tree.slots = builder.TakeSlots();
  return tree;
}

}  // namespace modelport
