#include "common/torchscript/script/compiler.h"

#include <ATen/core/jit_type.h>
#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/frontend/error_report.h>
#include <torch/csrc/jit/frontend/lexer.h>
#include <torch/csrc/jit/frontend/parser.h>
#include <torch/csrc/jit/frontend/tree_views.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/expression/identifier.h"
#include "common/status/status_macros.h"
#include "common/torchscript/script/compile_message.h"
#include "common/torchscript/script/graph_operators.h"
#include "common/torchscript/script/ivalue.h"
#include "common/torchscript/script/plugin_resolver.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

using c10::ClassType;
using c10::ClassTypePtr;
using torch::jit::Def;
using torch::jit::ErrorReport;
using torch::jit::Function;
using torch::jit::Ident;
using torch::jit::Module;
using torch::jit::Node;
using Names = absl::flat_hash_set<absl::string_view>;

// The base name of the classes for lists of submodules, as in torch. A module type may have the same name.
constexpr char kListName[] = "ModuleList";

// Bytes in a block of TorchScript. LibTorch's time grows with the square of the size; this size takes some seconds.
constexpr size_t kMaxTextSize = 64 << 10;

// Operations in all functions and classes of a model, with loops over submodules unrolled. The largest published model
// has 4300.
constexpr size_t kMaxOperations = 100000;

// "models/toy/modules.yaml:41": where `range` of `source` begins.
std::string PlaceIn(const SourceText& source, const torch::jit::SourceRange& range) {
  return absl::StrCat(source.file, ":", std::get<1>(*range.file_line_col()));
}

// Throws ErrorReport if two of `defs`, which are all of `source`, have one name.
void CheckNames(const SourceText& source, const std::vector<Def>& defs) {
  std::map<std::string, Ident> first;
  for (const Def& def : defs) {
    const Ident& name = def.name();
    const auto [same, is_new] = first.emplace(name.name(), name);
    if (is_new) continue;
    throw ErrorReport(name.range()) << name.name() << " is defined twice; the first is at "
                                    << PlaceIn(source, same->second.range());
  }
}

// Throws what LibTorch's parser throws, and std::length_error if the text is too long.
bool IsOrder(int kind) { return kind == '<' || kind == '>' || kind == torch::jit::TK_LE || kind == torch::jit::TK_GE; }

// Python's 1 <= n <= 32 is (1 <= n) <= 32 for TorchScript, which is always true.
void CheckComparisons(const torch::jit::TreeRef& tree) {
  const auto& parts = tree->trees();
  if (IsOrder(tree->kind()) && IsOrder(parts[0]->kind())) {
    throw ErrorReport(tree->range()) << "TorchScript compares the result of the first comparison, true or false, with "
                                        "what follows; write a < b and b < c";
  }
  for (const torch::jit::TreeRef& part : parts) CheckComparisons(part);
}

std::vector<Def> ParseDefs(const SourceText& source, bool are_methods) {
  if (source.text.size() > kMaxTextSize) {
    throw std::length_error(absl::StrCat("the text has more than ", kMaxTextSize, " bytes; split it"));
  }
  auto text = std::make_shared<torch::jit::Source>(source.text, source.name, source.line);
  CheckNesting(text);
  torch::jit::Parser parser(text);
  std::vector<Def> defs;
  while (parser.lexer().cur().kind != torch::jit::TK_EOF) {
    defs.emplace_back(parser.parseFunction(are_methods));
    CheckComparisons(defs.back().tree());
    const Ident& name = defs.back().name();
    const absl::Status status = CheckIdentifier(name.name());
    if (!status.ok()) throw ErrorReport(name.range()) << std::string(status.message());
  }
  CheckNames(source, defs);
  return defs;
}

// Nodes with equal descriptions share a class.
std::string Describe(const ModuleNode& node, const std::vector<ClassTypePtr>& children) {
  std::string text = absl::StrCat(node.is_list() ? "" : node.type->name(), "|");
  for (const auto& parameter : node.parameters) absl::StrAppend(&text, parameter.name, ",");
  for (const auto& buffer : node.buffers) absl::StrAppend(&text, "buffer ", buffer.name, ",");
  for (const auto& [name, value] : node.constants) absl::StrAppend(&text, name, "=", ValueString(value), ",");
  for (const auto& [name, value] : node.attributes) absl::StrAppend(&text, name, ":", value.index(), ",");
  for (size_t i = 0; i < children.size(); ++i) {
    absl::StrAppend(&text, node.children[i].name, ":", children[i]->name()->qualifiedName(), ",");
  }
  return text;
}

// Finds an upper bound of the syntax tree's depth at the token that was added last.
class NestingMeter {
 public:
  // Returns the depth.
  int Add(int token) {
    switch (token) {
      case '(':
      case '[':
      case '{':
        ++brackets_.back().operations;
        brackets_.emplace_back();
        break;
      case ')':
      case ']':
      case '}':
        Close();
        break;
      case ',':
        EndItem();
        break;
      case torch::jit::TK_NEWLINE:
        EndStatement();
        break;
      case torch::jit::TK_INDENT:
        elifs_.push_back(0);
        EndStatement();
        break;
      case torch::jit::TK_DEDENT:
        elifs_.pop_back();
        EndStatement();
        break;
      case torch::jit::TK_IDENT:
      case torch::jit::TK_NUMBER:
      case torch::jit::TK_STRINGLITERAL:
        Begin(token);
        break;
      default:
        Begin(token);
        ++brackets_.back().operations;
    }
    return Depth();
  }

 private:
  // The text within a pair of brackets, up to the last token. Commas divide it into items, of which the deepest counts.
  struct Bracket {
    int Depth() const { return operations + inner; }

    int operations = 0;  // Of the last item.
    int inner = 0;       // Depth of the deepest brackets in it.
    int deepest = 0;     // Depth of the deepest item before it.
  };

  // In the syntax tree an elif lies within the else of the branch before it.
  void Begin(int token) {
    if (!at_start_) return;
    at_start_ = false;
    if (token == torch::jit::TK_ELIF) {
      ++elifs_.back();
    } else if (token != torch::jit::TK_ELSE) {
      elifs_.back() = 0;
    }
  }

  void Close() {
    if (brackets_.size() == 1) return;  // The parser reports the stray bracket.
    const int depth = std::max(brackets_.back().deepest, brackets_.back().Depth());
    brackets_.pop_back();
    brackets_.back().inner = std::max(brackets_.back().inner, depth);
  }

  void EndItem() {
    Bracket& bracket = brackets_.back();
    bracket = {.operations = 0, .inner = 0, .deepest = std::max(bracket.deepest, bracket.Depth())};
  }

  void EndStatement() {
    brackets_.assign(1, Bracket());
    at_start_ = true;
  }

  int Depth() const {
    int depth = static_cast<int>(elifs_.size());
    for (const int count : elifs_) depth += count;
    for (const Bracket& bracket : brackets_) depth += bracket.operations;
    return depth + brackets_.back().inner;
  }

  std::vector<Bracket> brackets_{1};  // Those that are open; the first one is the statement itself.
  std::vector<int> elifs_{1};         // Consecutive elifs, for each open block.
  bool at_start_ = true;              // The next token begins a statement.
};

absl::StatusOr<Module> Instantiate(Compiler& compiler, const ModuleNode& node, const std::vector<at::Tensor>& tensors) {
  ASSIGN_OR_RETURN(const c10::ClassTypePtr type, compiler.ClassFor(node));
  std::vector<Module> submodules;
  for (const ModuleNode::Child& child : node.children) {
    ASSIGN_OR_RETURN(submodules.emplace_back(), Instantiate(compiler, *child.node, tensors));
  }
  return CatchTorch([&] {
    Module module(compiler.unit(), type);
    for (const auto& parameter : node.parameters) module.setattr(parameter.name, tensors[parameter.slot]);
    for (const auto& buffer : node.buffers) module.setattr(buffer.name, tensors[buffer.slot]);
    module.setattr(kTrainingName, false);
    for (const auto& [name, value] : node.attributes) module.setattr(name, ToIValue(value));
    for (size_t i = 0; i < submodules.size(); ++i) module.setattr(node.children[i].name, submodules[i]._ivalue());
    return module;
  });
}

bool IsOfWord(char c) { return absl::ascii_isalnum(c) || c == '_'; }

std::vector<absl::string_view> Words(absl::string_view text) {
  std::vector<absl::string_view> words;
  for (size_t i = 0; i < text.size();) {
    const size_t begin = i;
    while (i < text.size() && IsOfWord(text[i])) ++i;
    if (i > begin) words.push_back(text.substr(begin, i - begin));
    if (i < text.size()) ++i;
  }
  return words;
}

// Nodes of one type have one text.
void AddMethods(const ModuleNode& node, absl::flat_hash_set<const ModuleType*>& seen, Names& names) {
  if (!node.is_list() && seen.insert(node.type).second) {
    for (const absl::string_view word : Words(node.type->methods.text)) names.insert(word);
  }
  for (const ModuleNode::Child& child : node.children) AddMethods(*child.node, seen, names);
}

// Whether one of the functions in the text with these words has one of the names.
bool Defines(const std::vector<absl::string_view>& words, const Names& names) {
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "def" && names.contains(words[i + 1])) return true;
  }
  return false;
}

// The functions that a method calls, directly or through others, and the method itself.
class Reached {
 public:
  void Add(Function& function) {
    if (!functions_.insert(&function).second) return;
    ForEachNode(*torch::jit::toGraphFunction(function).graph()->block(), [this](const Node& node) { AddCallee(node); });
  }

  bool Contains(const Function* function) const { return functions_.count(function) > 0; }

 private:
  void AddCallee(const Node& node) {
    if (node.kind() == torch::jit::prim::CallMethod) {
      Add(node.input(0)->type()->expectRef<c10::ClassType>().getMethod(node.s(torch::jit::attr::name)));
    } else if (node.kind() == torch::jit::prim::CallFunction) {
      Add(*node.input(0)->type()->expectRef<c10::FunctionType>().function());
    }
  }

  std::set<const Function*> functions_;
};

void RemoveOthers(const Module& module, const std::string& name) {
  Reached reached;
  reached.Add(module.type()->getMethod(name));
  for (const Module& submodule : module.modules()) {
    const c10::ClassTypePtr type = submodule.type();
    const std::vector<Function*> methods = type->methods();
    for (const Function* method : methods) {
      if (!reached.Contains(method)) type->unsafeRemoveMethod(method->name());
    }
  }
}

}  // namespace

// Makes the classes of a compiler.
class Compiler::Classes {
 public:
  explicit Classes(HasOperator has_operator);

  absl::Status AddFunctions(const std::vector<SourceText>& functions, const CalledFunctions& is_called);
  absl::StatusOr<ClassTypePtr> ClassFor(const ModuleNode& node);
  const std::shared_ptr<torch::jit::CompilationUnit>& unit() const { return unit_; }

 private:
  ClassTypePtr MakeClass(const ModuleNode& node, const std::vector<ClassTypePtr>& children);
  ClassTypePtr DeclareClass(const ModuleNode& node, const std::vector<ClassTypePtr>& children);
  void DefineMethods(const ModuleType& type, const ClassTypePtr& compiled);
  // Throws ErrorReport if a function of `source` must not have this name.
  void CheckFunctionName(const SourceText& source, const Ident& name);
  absl::Status CompileError(const SourceText& source, const std::string& what, const absl::Status& error) const;
  void CountOperations(Function& function);
  c10::QualifiedName UniqueName(const std::string& base);

  std::shared_ptr<torch::jit::CompilationUnit> unit_;
  std::shared_ptr<PluginResolver> resolver_;
  std::map<std::string, ClassTypePtr> classes_;  // By a description, which is equal for nodes that share a class.
  ModuleClasses module_classes_;
  std::map<std::string, std::string> function_places_;  // By name: "models/toy/modules.yaml:41".
  std::map<std::string, int> name_counts_;
  size_t operations_ = 0;  // Of all functions and methods.
};

Compiler::Classes::Classes(HasOperator has_operator)
    : unit_(std::make_shared<torch::jit::CompilationUnit>()),
      resolver_(std::make_shared<PluginResolver>(std::move(has_operator))) {}

void Compiler::Classes::CheckFunctionName(const SourceText& source, const Ident& name) {
  if (PluginResolver::IsReserved(name.name())) {
    throw ErrorReport(name.range()) << name.name() << " is a reserved name; use another one";
  }
  const auto [first, is_new] = function_places_.emplace(name.name(), PlaceIn(source, name.range()));
  if (!is_new) {
    throw ErrorReport(name.range()) << "function " << name.name() << " is defined twice; the first is at "
                                    << first->second;
  }
}

absl::Status Compiler::Classes::AddFunctions(const std::vector<SourceText>& functions,
                                             const CalledFunctions& is_called) {
  for (const SourceText& source : functions) {
    const absl::Status status = CatchTorch([&] {
      for (const Def& def : ParseDefs(source, /*are_methods=*/false)) {
        CheckFunctionName(source, def.name());
        if (!is_called(def.name().name())) continue;
        const auto compiled = unit_->define(c10::QualifiedName(kClassNamespace), {}, {}, {def}, {resolver_}, nullptr);
        CountOperations(*compiled.front());
        resolver_->AddFunction(def.name().name(), compiled.front());
      }
    });
    if (!status.ok()) return CompileError(source, "a function", status);
  }
  return absl::OkStatus();
}

absl::StatusOr<ClassTypePtr> Compiler::Classes::ClassFor(const ModuleNode& node) {
  std::vector<ClassTypePtr> children;
  for (const ModuleNode::Child& child : node.children) {
    ASSIGN_OR_RETURN(ClassTypePtr type, ClassFor(*child.node));
    children.push_back(std::move(type));
  }
  ClassTypePtr& type = classes_[Describe(node, children)];
  if (type != nullptr) return type;
  absl::StatusOr<ClassTypePtr> made = CatchTorch([&] { return MakeClass(node, children); });
  if (!made.ok()) return node.is_list() ? made : CompileError(node.type->methods, node.type->name(), made.status());
  type = *std::move(made);
  return type;
}

c10::QualifiedName Compiler::Classes::UniqueName(const std::string& base) {
  while (true) {
    const int count = ++name_counts_[base];
    const c10::QualifiedName name(kClassNamespace, count == 1 ? base : absl::StrCat(base, "_", count));
    // Another module type may have the name of this type's second class, and a function may have the type's name.
    if (unit_->get_type(name) == nullptr && function_places_.count(name.name()) == 0) return name;
  }
}

ClassTypePtr Compiler::Classes::MakeClass(const ModuleNode& node, const std::vector<ClassTypePtr>& children) {
  const ClassTypePtr type = DeclareClass(node, children);
  module_classes_.nodes.emplace(type.get(), &node);
  if (!node.is_list() && !node.type->methods.text.empty()) DefineMethods(*node.type, type);
  return type;
}

ClassTypePtr Compiler::Classes::DeclareClass(const ModuleNode& node, const std::vector<ClassTypePtr>& children) {
  const c10::QualifiedName name = UniqueName(node.is_list() ? kListName : node.type->name());
  ClassTypePtr type = ClassType::create(name, unit_, /*is_module=*/true);
  unit_->register_type(type);
  for (const auto& parameter : node.parameters) {
    type->addAttribute(parameter.name, c10::TensorType::get(), /*is_parameter=*/true);
  }
  for (const auto& buffer : node.buffers) {
    type->addAttribute(buffer.name, c10::TensorType::get(), /*is_parameter=*/false, /*is_buffer=*/true);
  }
  // Python's torch.jit.freeze reads this attribute, which every module of torch.nn has.
  type->addAttribute(kTrainingName, c10::BoolType::get());
  for (const auto& [attribute, value] : node.attributes) type->addAttribute(attribute, ToIValue(value).type());
  for (const auto& [constant, value] : node.constants) type->addConstant(constant, ToIValue(value));
  for (size_t i = 0; i < children.size(); ++i) type->addAttribute(node.children[i].name, children[i]);
  return type;
}

void Compiler::Classes::DefineMethods(const ModuleType& type, const ClassTypePtr& compiled) {
  const std::vector<Def> defs = ParseDefs(type.methods, /*are_methods=*/true);
  for (const Def& def : defs) {
    const Ident name = def.name();
    if (compiled->hasAttribute(name.name()) || compiled->hasConstant(name.name())) {
      throw ErrorReport(name.range()) << type.name() << " already has a member of this name";
    }
  }
  const std::vector<torch::jit::ResolverPtr> resolvers(defs.size(), resolver_);
  const ModuleSelf self(compiled, module_classes_);
  module_classes_.repeated_text = 0;
  unit_->define(*compiled->name(), {}, {}, defs, resolvers, &self);
  for (Function* method : compiled->methods()) CountOperations(*method);
}

absl::Status Compiler::Classes::CompileError(const SourceText& source, const std::string& what,
                                             const absl::Status& error) const {
  const auto code = absl::IsResourceExhausted(error) ? error.code() : absl::StatusCode::kInvalidArgument;
  std::vector<std::string> functions;
  for (const auto& [name, place] : function_places_) functions.push_back(name);
  return absl::Status(code, CompileMessage(source, what, error.message(), {std::move(functions), OperatorNames()}));
}

void Compiler::Classes::CountOperations(Function& function) {
  ForEachNode(*torch::jit::toGraphFunction(function).graph()->block(), [&](const Node&) { ++operations_; });
  if (operations_ <= kMaxOperations) return;
  throw std::length_error(absl::StrCat("the model has more than ", kMaxOperations, " operations"));
}

Compiler::Compiler(HasOperator has_operator) : classes_(std::make_unique<Classes>(std::move(has_operator))) {}

Compiler::~Compiler() = default;

absl::Status Compiler::AddFunctions(const std::vector<SourceText>& functions, const CalledFunctions& is_called) {
  return classes_->AddFunctions(functions, is_called);
}

absl::Status Compiler::AddFunctions(const std::vector<SourceText>& functions) {
  return AddFunctions(functions, [](const std::string&) { return true; });
}

absl::StatusOr<ClassTypePtr> Compiler::ClassFor(const ModuleNode& node) { return classes_->ClassFor(node); }

const std::shared_ptr<torch::jit::CompilationUnit>& Compiler::unit() const { return classes_->unit(); }

void CheckNesting(const std::shared_ptr<torch::jit::Source>& source) {
  NestingMeter meter;
  torch::jit::Lexer lexer(source);
  while (lexer.cur().kind != torch::jit::TK_EOF) {
    const torch::jit::Token token = lexer.next();
    if (meter.Add(token.kind) <= kMaxNesting) continue;
    throw torch::jit::ErrorReport(token.range)
        << "nested more than " << kMaxNesting
        << " levels deep; assign a part of it to a variable, or move it into a function";
  }
}

absl::StatusOr<Module> BuildModule(const ModuleTree& tree, const std::vector<at::Tensor>& tensors,
                                   HasOperator has_operator) {
  Compiler compiler(std::move(has_operator));
  const auto called = CalledNames(tree);
  const absl::Status compiled =
      compiler.AddFunctions(tree.library->functions(), [&](const std::string& name) { return called.contains(name); });
  absl::StatusOr<Module> module = compiled.ok() ? Instantiate(compiler, tree.root, tensors) : compiled;
  if (module.ok()) return module;
  return absl::Status(module.status().code(), tree.library->WithPaths(module.status().message()));
}

Names CalledNames(const ModuleTree& tree) {
  Names names;
  absl::flat_hash_set<const ModuleType*> seen;
  AddMethods(tree.root, seen, names);
  // A function calls functions before it only.
  const std::vector<SourceText>& functions = tree.library->functions();
  for (auto block = functions.rbegin(); block != functions.rend(); ++block) {
    const std::vector<absl::string_view> words = Words(block->text);
    if (Defines(words, names)) names.insert(words.begin(), words.end());
  }
  return names;
}

absl::Status KeepMethod(const Module& module, const std::string& name) {
  if (module.type()->findMethod(name) == nullptr) return absl::NotFoundError(absl::StrCat("no method ", name));
  return CatchTorch([&] { RemoveOthers(module, name); });
}

}  // namespace modelport
