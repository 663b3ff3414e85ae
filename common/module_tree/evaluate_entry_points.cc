#include "common/module_tree/evaluate_entry_points.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/module_tree/wrapped_tree.h"

namespace modelport {
namespace {

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

  bool Holds(const absl::optional<Expression>& condition, const PortDecl& decl) {
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
    if (child == type_.children.end() || child->module.kind != ModuleEntry::Kind::kCall) {
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
    for (std::string PortFacts::* field :
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

  template <typename T>
  absl::optional<T> Valid(absl::StatusOr<T> value, const PortDecl& decl) {
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

}  // namespace

std::vector<EntryPoint> EvaluateEntryPoints(const ModuleType& type, const Scope& scope, const ModuleLibrary& library,
                                            const ModuleTree* wrapped, YamlProblems* problems) {
  return Evaluator(type, scope, library, wrapped, problems).Evaluate();
}

}  // namespace modelport
