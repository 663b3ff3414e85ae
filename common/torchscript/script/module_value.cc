#include "common/torchscript/script/module_value.h"

#include <ATen/core/class_type.h>
#include <ATen/core/function.h>
#include <ATen/core/jit_type.h>
#include <torch/csrc/jit/frontend/error_report.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/module_tree/module_tree.h"
#include "common/module_tree/module_type.h"
#include "common/text/nearest.h"

namespace modelport {

using torch::jit::ErrorReport;
using torch::jit::GraphFunction;
using torch::jit::NamedValue;
using torch::jit::SimpleValue;
using torch::jit::SourceRange;
using torch::jit::SugaredTupleValue;
using torch::jit::SugaredValue;

namespace {

// Where a member is declared, and what it depends on.
struct Condition {
  std::string text;
  YamlMark mark;
};

template <typename Decl>
void FindCondition(const std::vector<Decl>& members, absl::string_view name, absl::optional<Condition>* found) {
  for (const Decl& member : members) {
    if (member.name == name && member.when.has_value()) *found = Condition{member.when->text(), member.mark};
  }
}

absl::optional<Condition> ConditionOf(const ModuleType& type, absl::string_view name) {
  absl::optional<Condition> found;
  FindCondition(type.parameters, name, &found);
  FindCondition(type.buffers, name, &found);
  FindCondition(type.attributes, name, &found);
  FindCondition(type.children, name, &found);
  return found;
}

std::vector<std::string> MembersOf(const c10::ClassType& type) {
  std::vector<std::string> names;
  for (size_t i = 0; i < type.numAttributes(); ++i) names.push_back(type.getAttributeName(i));
  for (size_t i = 0; i < type.numConstants(); ++i) names.push_back(type.getConstantName(i));
  for (const torch::jit::Function* method : type.methods()) names.push_back(method->name());
  return names;
}

// The message about a member `name` that the class `type`, made for `node`, does not have. `object` is the text that
// stands for the module: "self.layer1".
//   BasicBlock has no member bn4; nearest: bn2
//   bn3 exists only where `when: down` holds (models/toy/modules.yaml:7:7); absent in layer1.0: guard with
//   hasattr(self, "bn3")
//   layer1 is a list of modules, without a member bn2: loop over it or index it, self.layer1[0].bn2
std::string MissingMember(const ModuleNode& node, const c10::ClassType& type, absl::string_view name,
                          absl::string_view object) {
  if (node.is_list()) {
    return absl::StrCat(node.path, " is a list of modules, without a member ", name, ": loop over it or index it, ",
                        object, "[0].", name);
  }
  if (const absl::optional<Condition> condition = ConditionOf(*node.type, name)) {
    return absl::StrCat(name, " exists only where `when: ", condition->text, "` holds (", MarkString(condition->mark),
                        "); absent in ", node.path.empty() ? "the root module" : node.path, ": guard with hasattr(",
                        object, ", \"", name, "\")");
  }
  return absl::StrCat(node.type->name(), " has no member ", name, NearestHint(name, MembersOf(type)));
}

// Bytes that a call or an index counts as.
constexpr size_t kCallText = 32;

size_t Indentation(const std::string& line) { return line.find_first_not_of(' '); }

bool Begins(const std::string& line, const std::string& word) {
  const size_t start = Indentation(line);
  return start != std::string::npos && line.compare(start, word.size(), word) == 0;
}

// Bytes of the loop around `range`: its first line is the nearest one above that begins a loop or, if there is none,
// the line of `range`; the lines below it belong to the loop as long as they are indented more deeply.
size_t LoopText(const SourceRange& range) {
  const torch::jit::Source& source = *range.source();
  const size_t own = source.lineno_for_offset(range.start());
  const auto line = [&](size_t number) { return source.get_line(number).str(); };
  size_t first = own;
  while (first > 0 && !Begins(line(first), "for ") && !Begins(line(first), "def ")) --first;
  if (!Begins(line(first), "for ")) first = own;
  const size_t outside = Indentation(line(first));
  size_t size = line(first).size();
  for (size_t i = first + 1; i < source.num_lines() && Indentation(line(i)) > outside; ++i) size += line(i).size();
  return size;
}

std::vector<std::string> SubmoduleNames(const c10::ClassType& type) {
  std::vector<std::string> names;
  for (size_t i = 0; i < type.numAttributes(); ++i) {
    if (type.getAttribute(i)->is_module()) names.push_back(type.getAttributeName(i));
  }
  return names;
}

// The text of `range`, "self.layer1.bn3", without the member `name` at its end.
std::string ObjectText(const SourceRange& range, const std::string& name) {
  const std::string text = range.text().str();
  const std::string member = "." + name;
  const bool is_selection =
      text.size() > member.size() && text.compare(text.size() - member.size(), member.size(), member) == 0;
  return is_selection ? text.substr(0, text.size() - member.size()) : text;
}

}  // namespace

std::shared_ptr<SugaredValue> ModuleValue::attr(const SourceRange& range, GraphFunction& function,
                                                const std::string& name) {
  const c10::ClassTypePtr type = this->type();
  if (const auto slot = type->findAttributeSlot(name); slot && type->getAttribute(*slot)->is_module()) {
    torch::jit::Graph& graph = *function.graph();
    return std::make_shared<ModuleValue>(graph.insertNode(graph.createGetAttr(value_, name))->output(), classes_);
  }
  if (const auto slot = type->findConstantSlot(name)) {
    return std::make_shared<SimpleValue>(function.graph()->insertConstant(type->getConstant(*slot), range));
  }
  if (!hasAttr(range, function, name)) {
    throw ErrorReport(range) << MissingMember(node(), *type, name, ObjectText(range, name));
  }
  return SimpleValue(value_).attr(range, function, name);
}

bool ModuleValue::hasAttr(const SourceRange&, GraphFunction&, const std::string& name) {
  return type()->hasAttribute(name) || type()->hasConstant(name) || type()->findMethod(name);
}

std::shared_ptr<SugaredValue> ModuleValue::call(const SourceRange& range, GraphFunction& function,
                                                at::ArrayRef<NamedValue> args, at::ArrayRef<NamedValue> kwargs,
                                                size_t n_binders) {
  if (!node().is_list()) return attr(range, function, "forward")->call(range, function, args, kwargs, n_binders);
  if (args.size() != 1 || !kwargs.empty()) {
    throw ErrorReport(range) << "a list of modules takes one argument, which it passes through all of them";
  }
  torch::jit::Value* x = args[0].value(*function.graph());
  const std::shared_ptr<SugaredTupleValue> items = Items(range, function, kCallText);
  for (const auto& item : items->tup_) {
    x = item->call(range, function, {NamedValue(range, x)}, {}, 1)->asValue(range, function);
  }
  return std::make_shared<SimpleValue>(x);
}

std::shared_ptr<SugaredTupleValue> ModuleValue::Items(const SourceRange& range, GraphFunction& function, size_t text) {
  if (!node().is_list()) throw ErrorReport(range) << "this module is not a list of modules";
  const std::vector<std::string> names = SubmoduleNames(*type());
  classes_.repeated_text += names.size() * text;
  if (classes_.repeated_text > kMaxRepeatedText) {
    throw ErrorReport(range) << "more than " << kMaxRepeatedText << " bytes of text with its loops over submodules "
                             << "unrolled";
  }
  std::vector<std::shared_ptr<SugaredValue>> items;
  for (const std::string& name : names) items.push_back(attr(range, function, name));
  return std::make_shared<SugaredTupleValue>(std::move(items));
}

std::shared_ptr<SugaredValue> ModuleValue::iter(const SourceRange& range, GraphFunction& function) {
  return Items(range, function, LoopText(range));
}

std::shared_ptr<SugaredValue> ModuleValue::getitem(const SourceRange& range, GraphFunction& function,
                                                   torch::jit::Value* index, torch::jit::TypePtr type_hint) {
  return Items(range, function, kCallText)->getitem(range, function, index, type_hint);
}

}  // namespace modelport
