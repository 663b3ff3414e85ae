#include "common/module_tree/tree_builder.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/expression/expression.h"
#include "common/module_tree/entry_point.h"
#include "common/module_tree/module_library.h"
#include "common/module_tree/module_tree.h"
#include "common/module_tree/module_type.h"
#include "common/status/status_macros.h"
#include "common/text/dotted_path.h"
#include "common/text/nearest.h"
#include "common/yaml/problems.h"

namespace modelport {
namespace {

// The entry points of a module of `type`, whose arguments are `scope`. `wrapped` is the tree that it wraps, null if it
// is no wrapper: `as: model.forward` is about that tree's root. What is wrong is added to `problems`: an expression,
// two ports of one name, an `as` that names nothing. From a module whose type states no entry points `as` takes
// nothing.
std::vector<EntryPoint> EvaluateEntryPoints(const ModuleType& type, const Scope& scope, const ModuleLibrary& library,
                                            const ModuleTree* wrapped, YamlProblems* problems);

// A module whose ports `as` can name.
struct Source {
  const ModuleType* type = nullptr;
  std::vector<EntryPoint> entry_points;
};

class Evaluator {
 public:
  Evaluator(const ModuleType& type, const Scope& scope, const ModuleLibrary& library, const ModuleTree* wrapped,
            YamlProblems* problems)
      : type_(type), scope_(scope), library_(library), wrapped_(wrapped), problems_(problems) {}

  std::vector<EntryPoint> Evaluate() {
    std::vector<EntryPoint> entry_points;
    for (const EntryPointDecl& decl : type_.entry_points) {
      if (!Holds(decl.when, decl)) continue;
      entry_points.push_back({decl.method, EvaluatePorts(decl.inputs, &EntryPoint::inputs, &EntryPointDecl::inputs),
                              EvaluatePorts(decl.outputs, &EntryPoint::outputs, &EntryPointDecl::outputs),
                              MarkString(decl.mark)});
    }
    return entry_points;
  }

 private:
  using Ports = std::vector<Port> EntryPoint::*;
  using PortDecls = std::vector<PortDecl> EntryPointDecl::*;

  std::vector<Port> EvaluatePorts(const std::vector<PortDecl>& decls, Ports ports, PortDecls port_decls) {
    std::vector<Port> evaluated;
    for (const PortDecl& decl : decls) {
      if (!Holds(decl.when, decl) || !Holds(decl.switched_by, decl)) continue;
      absl::optional<Port> port = Taken(decl, ports, port_decls);
      if (!port.has_value()) continue;
      State(decl, *port);
      const Port* const same = FindPort(evaluated, port->name);
      if (same != nullptr && !(same == &evaluated.back() && AreAlternatives(*same, *port))) {
        problems_->Add(decl.mark, absl::StrCat("second \"", port->name, "\""));
      }
      evaluated.push_back(*std::move(port));
    }
    return evaluated;
  }

  template <typename Decl>
  bool Holds(const absl::optional<Expression>& condition, const Decl& decl) {
    return !condition.has_value() || Valid(condition->EvaluateCondition(scope_), decl).value_or(false);
  }

  // What `as` takes, and an empty port without `as`. Nothing if the module that it names lacks the port here.
  absl::optional<Port> Taken(const PortDecl& decl, Ports ports, PortDecls port_decls) {
    if (decl.as_child.empty()) return Port();
    const Source& source = FindSource(decl);
    if (source.type == nullptr || source.type->entry_points.empty()) return Port();
    if (const EntryPoint* const entry_point = FindEntryPoint(source.entry_points, decl.as_method)) {
      if (const Port* const port = FindPort(entry_point->*ports, decl.name)) return *port;
    }
    for (const EntryPointDecl& other : source.type->entry_points) {
      const std::vector<PortDecl>& all = other.*port_decls;
      const auto is_it = [&](const PortDecl& one) { return one.name == decl.name; };
      if (other.method == decl.as_method && std::any_of(all.begin(), all.end(), is_it)) return absl::nullopt;
    }
    problems_->Add(decl.mark, absl::StrCat("entry point ", decl.as_method, " of ", source.type->name(), " has no \"",
                                           decl.name, "\", which `as` names"));
    return absl::nullopt;
  }

  // The module that `as` names, of type null after a problem.
  const Source& FindSource(const PortDecl& decl) {
    const auto [found, is_new] = sources_.emplace(decl.as_child, Source());
    Source& source = found->second;
    if (!is_new) return source;
    if (wrapped_ != nullptr && decl.as_child == kWrappedName) {
      source = {wrapped_->root.type, wrapped_->entry_points};
    } else {
      EvaluateChild(decl, source);
    }
    return source;
  }

  void EvaluateChild(const PortDecl& decl, Source& source) {
    const auto is_it = [&](const ChildDecl& child) { return child.name == decl.as_child; };
    const auto child = std::find_if(type_.children.begin(), type_.children.end(), is_it);
    if (child == type_.children.end() || child->module.kind != ModuleEntry::Kind::kCall ||
        child->otherwise.has_value()) {
      problems_->Add(decl.mark, absl::StrCat("field \"as\": ", type_.name(), " has no child \"", decl.as_child,
                                             "\" that is a module"));
      return;
    }
    const Call& call = child->module.call;
    const auto argument = scope_.find(call.type);
    source.type = library_.Find(argument == scope_.end() ? call.type : std::get_if<TypeName>(&argument->second)->name);
    const absl::optional<Scope> scope = Valid(BindArguments(source.type->signature, call, scope_), decl);
    if (scope) source.entry_points = EvaluateEntryPoints(*source.type, *scope, library_, nullptr, problems_);
  }

  // Gives `port` what `decl` states.
  void State(const PortDecl& decl, Port& port) {
    for (std::string PortFacts::*field :
         {&PortFacts::name, &PortFacts::dtype, &PortFacts::help, &PortFacts::image, &PortFacts::resize,
          &PortFacts::unit, &PortFacts::larger_is, &PortFacts::only_with, &PortFacts::only_without}) {
      if (!(decl.*field).empty()) port.*field = decl.*field;
    }
    // The argument of another module type is none of this one.
    port.switched_by = decl.switched_by.has_value() ? decl.switched_by->text() : "";
    port.place = MarkString(decl.mark);
    if (decl.shape.has_value()) port.shape = EvaluateShape(decl);
    if (decl.size.has_value()) port.size = Valid(decl.size->EvaluateInt(scope_), decl);
    if (decl.min.has_value()) port.min = EvaluateNumber(*decl.min, decl);
    if (decl.max.has_value()) port.max = EvaluateNumber(*decl.max, decl);
  }

  std::vector<Expression> EvaluateShape(const PortDecl& decl) {
    std::vector<Expression> shape;
    for (const Expression& size : *decl.shape) {
      absl::optional<Expression> bound = Valid(size.Bind(scope_), decl);
      if (bound.has_value()) shape.push_back(*std::move(bound));
    }
    return shape;
  }

  absl::optional<double> EvaluateNumber(const Expression& expression, const PortDecl& decl) {
    const absl::optional<Value> value = Valid(expression.Evaluate(scope_), decl);
    if (!value.has_value()) return absl::nullopt;
    const absl::optional<double> number = NumberOf(*value);
    if (!number.has_value()) {
      problems_->Add(decl.mark, absl::StrCat("\"", decl.name, "\" wants a number, has ", ValueString(*value)));
    }
    return number;
  }

  template <typename T, typename Decl>
  absl::optional<T> Valid(absl::StatusOr<T> value, const Decl& decl) {
    if (value.ok()) return *std::move(value);
    problems_->Add(decl.mark, value.status().message());
    return absl::nullopt;
  }

  const ModuleType& type_;
  const Scope& scope_;
  const ModuleLibrary& library_;
  const ModuleTree* wrapped_;
  YamlProblems* problems_;
  std::map<std::string, Source> sources_;  // By child.
};

std::vector<EntryPoint> EvaluateEntryPoints(const ModuleType& type, const Scope& scope, const ModuleLibrary& library,
                                            const ModuleTree* wrapped, YamlProblems* problems) {
  return Evaluator(type, scope, library, wrapped, problems).Evaluate();
}

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
    node->arguments = *scope;
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
    absl::optional<int64_t> positions;
    if (tensor.positions) positions = Valid(tensor.positions->EvaluateInt(scope), tensor.mark, node);
    tree_.slots.push_back({JoinPath(node.path, tensor.name), *std::move(shape), is_buffer, tensor.dtype, positions});
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
  const auto evaluate = [&](absl::string_view name, const absl::optional<Expression>& stated) -> int64_t {
    if (!stated.has_value()) return 1;
    const int64_t number = Valid(stated->EvaluateInt(scope), decl.mark, root).value_or(1);
    if (number < 1) AddProblem(decl.mark, root, absl::StrCat(name, " ", stated->text(), " is ", number));
    return number;
  };
  interface.multiple_of = evaluate("multiple_of", decl.multiple_of);
  interface.scale = evaluate("scale", decl.scale);
  tree_.interface = std::move(interface);
}

void TreeBuilder::AddChild(const ChildDecl& child, const Scope& scope, ModuleNode* node) {
  if (stopped()) return;
  const bool holds = Holds(child.when, scope, child.mark, *node);
  if (!holds && !child.otherwise.has_value()) return;
  AddModule(holds ? child.module : *child.otherwise, scope, NewChild(child.name, node));
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
