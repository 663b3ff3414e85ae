#include "common/torchscript/script/plugin_resolver.h"

#include <ATen/core/class_type.h>
#include <ATen/core/function.h>
#include <ATen/core/jit_type.h>
#include <c10/core/ScalarType.h>
#include <torch/csrc/jit/frontend/error_report.h>
#include <torch/csrc/jit/frontend/sugared_value.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/module_tree/module_tree.h"
#include "common/module_tree/module_type.h"
#include "common/text/dotted_path.h"
#include "common/text/nearest.h"
#include "common/torchscript/script/graph_operators.h"

namespace modelport {

using torch::jit::BuiltinModule;
using torch::jit::ErrorReport;
using torch::jit::GraphFunction;
using torch::jit::NamedValue;
using torch::jit::SimpleValue;
using torch::jit::SourceRange;
using torch::jit::SugaredTupleValue;
using torch::jit::SugaredValue;

namespace {

// A Python module that a plugin's text cannot use, such as torch.nn. Taking an attribute of it throws an ErrorReport
// that says what to write instead:
//   F is not available; call torch.relu
//   torch.nn is not available; write ReLU() under `children`, or call torch.relu
class AbsentModule : public torch::jit::SugaredValue {
 public:
  // The module that upstream code calls `name`, "F" or "nn", within `parent`, "" or "torch"; null if there is none.
  static std::shared_ptr<AbsentModule> Find(const std::string& parent, const std::string& name);

  std::string kind() const override { return path_ + ", which is not available"; }
  std::shared_ptr<torch::jit::SugaredValue> attr(const torch::jit::SourceRange& range,
                                                 torch::jit::GraphFunction& function, const std::string& name) override;

 private:
  AbsentModule(std::string path, std::string prefix) : path_(std::move(path)), prefix_(std::move(prefix)) {}

  // The operators that do what the module's function or class `name` does, for a message; empty if there are none.
  std::string Operators(const std::string& name) const;

  std::string path_;    // "torch.nn"
  std::string prefix_;  // Of the names of its functions as operators: torch.linalg.norm is aten::linalg_norm.
};

// Python modules, and the prefix that their functions have as operators: linalg.norm is aten::linalg_norm.
const std::map<std::string, std::string>& Modules() {
  static const auto* modules = new std::map<std::string, std::string>{
      {"F", ""}, {"nn", ""}, {"functional", ""}, {"fft", "fft_"}, {"linalg", "linalg_"}, {"special", "special_"}};
  return *modules;
}

// Functions of torch.nn.functional whose operators have other names.
const std::map<std::string, std::string>& OtherNames() {
  static const auto* names = new std::map<std::string, std::string>{
      {"fold", "torch.col2im"},
      {"interpolate", "torch.upsample_bilinear2d, torch.upsample_bicubic2d or torch.upsample_nearest2d"},
      {"unfold", "torch.im2col"}};
  return *names;
}

// "leakyrelu" of "LeakyReLU" and "leaky_relu".
std::string Spelling(const std::string& name) { return absl::AsciiStrToLower(absl::StrReplaceAll(name, {{"_", ""}})); }

bool IsClass(const std::string& name) { return !name.empty() && absl::ascii_isupper(name[0]); }

std::shared_ptr<AbsentModule> AbsentModule::Find(const std::string& parent, const std::string& name) {
  const auto module = Modules().find(name);
  if (module == Modules().end()) return nullptr;
  const std::string path = JoinPath(parent, name);
  return std::shared_ptr<AbsentModule>(new AbsentModule(path, module->second));
}

std::shared_ptr<SugaredValue> AbsentModule::attr(const SourceRange& range, GraphFunction&, const std::string& name) {
  if (const auto inner = Find(path_, name)) return inner;
  const std::string operators = Operators(name);
  const std::string says = absl::StrCat(path_, " is not available");
  if (IsClass(name)) {
    throw ErrorReport(range) << says << "; write " << name << "(...) under `children`"
                             << (operators.empty() ? "" : ", or call ") << operators;
  }
  if (operators.empty()) throw ErrorReport(range) << says << ", and no operator of torch is called " << name;
  throw ErrorReport(range) << says << "; call " << operators;
}

std::string AbsentModule::Operators(const std::string& name) const {
  if (const auto other = OtherNames().find(name); other != OtherNames().end()) return other->second;
  const std::string wanted = Spelling(prefix_ + name);
  for (const std::string& candidate : OperatorNames()) {
    // Names of in-place operators end in _.
    if (candidate.back() != '_' && Spelling(candidate) == wanted) return "torch." + candidate;
  }
  return "";
}

// TorchScript represents a dtype by its number.
const std::map<std::string, c10::ScalarType>& DTypes() {
  static const auto* dtypes = new std::map<std::string, c10::ScalarType>{
      {"float16", c10::kHalf}, {"bfloat16", c10::kBFloat16}, {"float32", c10::kFloat}, {"float64", c10::kDouble},
      {"uint8", c10::kByte},   {"int32", c10::kInt},         {"int64", c10::kLong},    {"bool", c10::kBool},
  };
  return *dtypes;
}

class TorchModule : public BuiltinModule {
 public:
  explicit TorchModule(HasOperator has_operator) : BuiltinModule("aten"), has_operator_(std::move(has_operator)) {}

  std::shared_ptr<SugaredValue> attr(const SourceRange& range, GraphFunction& function,
                                     const std::string& name) override {
    if (const auto it = DTypes().find(name); it != DTypes().end()) {
      return std::make_shared<SimpleValue>(function.graph()->insertConstant(static_cast<int64_t>(it->second), range));
    }
    if (auto absent = AbsentModule::Find("torch", name)) return absent;
    return BuiltinModule::attr(range, function, name);
  }

  bool hasAttr(const SourceRange&, GraphFunction&, const std::string& name) override {
    return DTypes().count(name) > 0 || has_operator_(name);
  }

 private:
  HasOperator has_operator_;
};

}  // namespace

std::shared_ptr<SugaredValue> PluginResolver::resolveValue(const std::string& name, GraphFunction&,
                                                           const SourceRange&) {
  if (name == "torch") return std::make_shared<TorchModule>(has_operator_);
  if (name == "math") return std::make_shared<BuiltinModule>("aten");
  if (const auto it = functions_.find(name); it != functions_.end()) {
    return std::make_shared<torch::jit::FunctionValue>(it->second);
  }
  return AbsentModule::Find("", name);
}

torch::jit::TypePtr PluginResolver::resolveType(const std::string&, const SourceRange&) { return nullptr; }

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
