#include "common/module_tree/check_types.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/module_tree/module_type.h"
#include "common/text/nearest.h"
#include "common/yaml/problems.h"

namespace modelport {
namespace {

using FamilyOf = absl::FunctionRef<std::string(absl::string_view type)>;

class TypeChecker {
 public:
  // `lent` collects the types of other families that were reported; it must outlive the checker.
  TypeChecker(const ModuleLibrary& library, const ModuleType& type, FamilyOf family_of, std::set<std::string>* lent,
              YamlProblems* problems)
      : library_(library),
        arguments_(type.signature.argument_names()),
        family_of_(family_of),
        lent_(lent),
        problems_(problems) {}

  void Check(const ModuleType& type) {
    for (const Signature::Argument& argument : type.signature.arguments) {
      if (argument.fallback.has_value()) CheckValue(*argument.fallback, type.mark);
    }
    for (const auto* tensors : {&type.parameters, &type.buffers}) {
      for (const TensorDecl& tensor : *tensors) CheckTensor(tensor);
    }
    for (const auto* values : {&type.constants, &type.attributes}) {
      for (const ValueDecl& value : *values) CheckValue(value);
    }
    for (const ChildDecl& child : type.children) CheckChild(child);
    if (type.interface.has_value()) {
      CheckNumber(type.interface->multiple_of, type.interface->mark);
      CheckNumber(type.interface->scale, type.interface->mark);
    }
    for (const EntryPointDecl& decl : type.entry_points) {
      CheckNumber(decl.when, decl.mark);
      for (const auto* ports : {&decl.inputs, &decl.outputs}) {
        for (const PortDecl& port : *ports) CheckPort(port);
      }
    }
  }

 private:
  void CheckTensor(const TensorDecl& tensor) {
    for (const Expression& size : tensor.shape) CheckNumber(size, tensor.mark);
    CheckNumber(tensor.when, tensor.mark);
  }

  void CheckValue(const ValueDecl& decl) {
    CheckNumber(decl.value, decl.mark);
    CheckNumber(decl.when, decl.mark);
    if (!decl.knob.has_value()) return;
    CheckNumber(decl.knob->min, decl.mark);
    CheckNumber(decl.knob->max, decl.mark);
  }

  void CheckChild(const ChildDecl& child) {
    CheckNumber(child.when, child.mark);
    CheckModule(child.module);
    if (child.otherwise.has_value()) CheckModule(*child.otherwise);
  }

  // In a shape a single letter is a symbol.
  void CheckPort(const PortDecl& port) {
    if (port.shape.has_value()) {
      for (const Expression& size : *port.shape) {
        for (const std::string& name : size.names()) {
          if (!IsArgument(name) && !IsShapeSymbol(name)) AddUnknown("name", name, arguments_, port.mark);
        }
      }
    }
    for (const auto* number : {&port.size, &port.min, &port.max, &port.when}) CheckNumber(*number, port.mark);
  }

  void CheckModule(const ModuleEntry& entry) {
    CheckNumber(entry.repeat, entry.mark);
    CheckNumber(entry.when, entry.mark);
    if (entry.kind == ModuleEntry::Kind::kCall) return CheckCall(entry.call, entry.mark);
    for (const ModuleEntry& item : entry.items) CheckModule(item);
  }

  void CheckCall(const Call& call, const YamlMark& mark) {
    for (const Expression& argument : call.positional) CheckValue(argument, mark);
    for (const auto& [name, argument] : call.named) CheckValue(argument, mark);
    if (IsArgument(call.type)) return;
    const ModuleType* callee = library_.Find(call.type);
    if (callee == nullptr) return AddUnknownType(call.type, mark);
    const auto matched = MatchArguments(callee->signature, call);
    if (!matched.ok()) problems_->Add(mark, matched.status().message());
  }

  // Checks an expression whose names must be arguments, except for module types that == or != compares.
  void CheckNumber(const absl::optional<Expression>& expression, const YamlMark& mark) {
    if (!expression.has_value()) return;
    const std::vector<std::string> compared = expression->compared_names();
    for (const std::string& name : expression->names()) {
      if (std::find(compared.begin(), compared.end(), name) != compared.end()) {
        CheckArgumentOrType(name, mark);
      } else if (!IsArgument(name)) {
        AddUnknown("name", name, arguments_, mark);
      }
    }
  }

  // Checks an expression that may also name a module type.
  void CheckValue(const Expression& expression, const YamlMark& mark) {
    for (const std::string& name : expression.names()) CheckArgumentOrType(name, mark);
  }

  void CheckArgumentOrType(const std::string& name, const YamlMark& mark) {
    if (IsArgument(name) || library_.Find(name) != nullptr || problems_->enough()) return;
    std::vector<std::string> known = arguments_;
    for (const std::string& type : library_.names()) known.push_back(type);
    AddUnknown("name", name, known, mark);
  }

  bool IsArgument(absl::string_view name) const {
    return std::find(arguments_.begin(), arguments_.end(), name) != arguments_.end();
  }

  void AddUnknownType(const std::string& type, const YamlMark& mark) {
    const std::string family = family_of_(type);
    if (family.empty()) return AddUnknown("module type", type, library_.names(), mark);
    if (problems_->enough() || !lent_->insert(type).second) return;
    problems_->Add(mark, LentTypeError(type, family));
  }

  void AddUnknown(absl::string_view what, absl::string_view name, const std::vector<std::string>& known,
                  const YamlMark& mark) {
    if (problems_->enough()) return;
    problems_->Add(mark, absl::StrCat("unknown ", what, " \"", name, "\"", NearestHint(name, known)));
  }

  const ModuleLibrary& library_;
  const std::vector<std::string> arguments_;
  const FamilyOf family_of_;
  std::set<std::string>* lent_;
  YamlProblems* problems_;
};

}  // namespace

absl::Status CheckTypes(const ModuleLibrary& library, FamilyOf family_of) {
  YamlProblems problems("module types");
  std::set<std::string> lent;
  for (const auto& type : library.own_types()) {
    if (!problems.enough()) TypeChecker(library, *type, family_of, &lent, &problems).Check(*type);
  }
  return problems.status();
}

std::string LentTypeError(absl::string_view type, absl::string_view family) {
  return absl::StrCat("unknown module type \"", type, "\"; family ", family, " has it: add ", family,
                      " to `uses` in plugin.yaml");
}

}  // namespace modelport
