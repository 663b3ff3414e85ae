// Compiles the TorchScript text of module types into classes.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_COMPILER_H_
#define MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_COMPILER_H_

#include <ATen/core/jit_type.h>
#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/frontend/source_range.h>
#include <torch/csrc/jit/frontend/tree_views.h>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/module_tree/module_tree.h"
#include "common/torchscript/script/graph_operators.h"
#include "common/torchscript/script/plugin_resolver.h"

namespace modelport {

// Whether a text that is yet to be compiled calls the function `name`.
using CalledFunctions = std::function<bool(const std::string& name)>;

// Makes one TorchScript class for each distinct module type: nodes of a tree that agree in type, constants and the
// classes of their submodules share a class, whatever the shapes of their tensors. After an error the compiler must not
// be used again.
class Compiler {
 public:
  // `has_operator` answers the text's hasattr(torch, "NAME").
  explicit Compiler(HasOperator has_operator = CompilerHasOperator);

  // Parses the library's free functions and compiles those that later text calls. LibTorch's time for a function grows
  // with the square of its constants, so those that nothing calls are left out.
  //   InvalidArgument  "models/family/modules.yaml:43: function rotate does not compile: ..." with the source line
  //   underlined
  absl::Status AddFunctions(const std::vector<SourceText>& functions, const CalledFunctions& is_called);

  // Compiles all of them.
  absl::Status AddFunctions(const std::vector<SourceText>& functions) {
    return AddFunctions(functions, [](const std::string&) { return true; });
  }

  // The class of `node`, whose submodules' classes are made first. `node` must outlive the compiler. Errors as for
  // AddFunctions.
  absl::StatusOr<c10::ClassTypePtr> ClassFor(const ModuleNode& node);

  const std::shared_ptr<torch::jit::CompilationUnit>& unit() const { return unit_; }

 private:
  c10::ClassTypePtr MakeClass(const ModuleNode& node, const std::vector<c10::ClassTypePtr>& children);
  c10::ClassTypePtr DeclareClass(const ModuleNode& node, const std::vector<c10::ClassTypePtr>& children);
  void DefineMethods(const ModuleType& type, const c10::ClassTypePtr& compiled);
  // Throws ErrorReport if a function of `source` must not have this name.
  void CheckFunctionName(const SourceText& source, const torch::jit::Ident& name);
  absl::Status CompileError(const SourceText& source, const std::string& what, const absl::Status& error) const;
  void CountOperations(torch::jit::Function& function);
  c10::QualifiedName UniqueName(const std::string& base);

  std::shared_ptr<torch::jit::CompilationUnit> unit_;
  std::shared_ptr<PluginResolver> resolver_;
  std::map<std::string, c10::ClassTypePtr> classes_;  // By a description, which is equal for nodes that share a class.
  ModuleClasses module_classes_;
  std::map<std::string, std::string> function_places_;  // By name: "models/toy/modules.yaml:41".
  std::map<std::string, int> name_counts_;
  size_t operations_ = 0;  // Of all functions and methods.
};

// The most levels of nesting in TorchScript text: blocks and elifs around a statement, plus brackets and chained
// operations within it. LibTorch's parser and compiler recurse at each level, and some thousand levels exhaust the
// stack.
inline constexpr int kMaxNesting = 200;

// Throws LibTorch's ErrorReport, as its parser does, at the first place of `source` that nests deeper. Does not
// recurse.
void CheckNesting(const std::shared_ptr<torch::jit::Source>& source);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_COMPILER_H_
