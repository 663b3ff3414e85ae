#include "common/script/compiler.h"

#include <torch/csrc/jit/frontend/error_report.h>
#include <torch/csrc/jit/frontend/lexer.h>
#include <torch/csrc/jit/frontend/parser.h>
#include <torch/csrc/jit/frontend/tree_views.h>

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "common/script/ivalue.h"
#include "common/script/module_value.h"
#include "common/script/torch_status.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

using c10::ClassType;
using c10::ClassTypePtr;
using torch::jit::Def;

constexpr char kNamespace[] = "__torch__.modelport";

std::vector<Def> ParseDefs(const SourceText& source, bool are_methods) {
  auto text = std::make_shared<torch::jit::Source>(source.text, source.file, source.line);
  torch::jit::Parser parser(text);
  std::vector<Def> defs;
  while (parser.lexer().cur().kind != torch::jit::TK_EOF) defs.emplace_back(parser.parseFunction(are_methods));
  return defs;
}

// Puts the place and the cause of a compile error onto the first line; LibTorch's text, which underlines the place,
// follows.
absl::Status CompileError(const SourceText& source, const std::string& what, const absl::Status& error) {
  std::string place = absl::StrCat(source.file, ":", source.line);
  std::vector<std::string> lines = absl::StrSplit(error.message(), '\n');
  std::string cause = lines[0];
  for (const std::string& line : lines) {
    const std::string opening = absl::StrCat("  File \"", source.file, "\", line ");
    if (line.compare(0, opening.size(), opening) != 0) continue;
    place = absl::StrCat(source.file, ":", line.substr(opening.size()));
    break;
  }
  if (!cause.empty() && cause.back() == ':') cause.pop_back();
  return absl::InvalidArgumentError(absl::StrCat(place, ": ", what, " does not compile: ", cause, "\n  ",
                                                 absl::StrReplaceAll(error.message(), {{"\n", "\n  "}})));
}

// Two nodes of equal description have equal classes.
std::string Describe(const ModuleNode& node, const std::vector<ClassTypePtr>& children) {
  std::string text = absl::StrCat(node.is_list() ? kModuleListName : node.type->name(), "|");
  for (const auto& parameter : node.parameters) absl::StrAppend(&text, parameter.name, ",");
  for (const auto& buffer : node.buffers) absl::StrAppend(&text, "buffer ", buffer.name, ",");
  for (const auto& [name, value] : node.constants) absl::StrAppend(&text, name, "=", ValueString(value), ",");
  for (const auto& [name, value] : node.attributes) absl::StrAppend(&text, name, ":", value.index(), ",");
  for (size_t i = 0; i < children.size(); ++i) {
    absl::StrAppend(&text, node.children[i].name, ":", children[i]->name()->qualifiedName(), ",");
  }
  return text;
}

}  // namespace

Compiler::Compiler(HasOperator has_operator)
    : unit_(std::make_shared<torch::jit::CompilationUnit>()),
      resolver_(std::make_shared<PluginResolver>(std::move(has_operator))) {}

absl::Status Compiler::AddFunctions(const std::vector<SourceText>& functions) {
  for (const SourceText& source : functions) {
    const absl::Status status = CatchTorch([&] {
      for (const Def& def : ParseDefs(source, /*are_methods=*/false)) {
        const auto compiled = unit_->define(c10::QualifiedName(kNamespace), {}, {}, {def}, {resolver_}, nullptr);
        resolver_->AddFunction(def.name().name(), compiled.front());
      }
    });
    if (!status.ok()) return CompileError(source, "a function", status);
  }
  return absl::OkStatus();
}

absl::StatusOr<ClassTypePtr> Compiler::ClassFor(const ModuleNode& node) {
  std::vector<ClassTypePtr> children;
  for (const ModuleNode::Child& child : node.children) {
    ASSIGN_OR_RETURN(ClassTypePtr type, ClassFor(*child.node));
    children.push_back(std::move(type));
  }
  ClassTypePtr& type = classes_[Describe(node, children)];
  if (type == nullptr) {
    ASSIGN_OR_RETURN(type, MakeClass(node, children));
  }
  return type;
}

std::string Compiler::UniqueName(const std::string& base) {
  const int count = ++name_counts_[base];
  return absl::StrCat(kNamespace, ".", base, count == 1 ? "" : absl::StrCat("_", count));
}

absl::StatusOr<ClassTypePtr> Compiler::MakeClass(const ModuleNode& node, const std::vector<ClassTypePtr>& children) {
  const std::string name = UniqueName(node.is_list() ? kModuleListName : node.type->name());
  ClassTypePtr type = ClassType::create(c10::QualifiedName(name), unit_, /*is_module=*/true);
  unit_->register_type(type);
  for (const auto& parameter : node.parameters) {
    type->addAttribute(parameter.name, c10::TensorType::get(), /*is_parameter=*/true);
  }
  for (const auto& buffer : node.buffers) {
    type->addAttribute(buffer.name, c10::TensorType::get(), /*is_parameter=*/false, /*is_buffer=*/true);
  }
  for (const auto& [attribute, value] : node.attributes) type->addAttribute(attribute, ToIValue(value).type());
  for (const auto& [constant, value] : node.constants) type->addConstant(constant, ToIValue(value));
  for (size_t i = 0; i < children.size(); ++i) type->addAttribute(node.children[i].name, children[i]);
  if (node.is_list() || node.type->methods.text.empty()) return type;

  const absl::Status status = CatchTorch([&] {
    const std::vector<Def> defs = ParseDefs(node.type->methods, /*are_methods=*/true);
    const std::vector<torch::jit::ResolverPtr> resolvers(defs.size(), resolver_);
    const ModuleSelf self(type);
    unit_->define(*type->name(), {}, {}, defs, resolvers, &self);
  });
  if (!status.ok()) return CompileError(node.type->methods, node.type->name(), status);
  return type;
}

}  // namespace modelport
