// Compiles the TorchScript text of module types into classes, and makes modules of these.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_COMPILER_H_
#define MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_COMPILER_H_

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/module_tree/module_tree.h"
#include "common/torchscript/script/graph_operators.h"
#include "common/torchscript/script/module_fwd.h"

// LibTorch's own headers would cost each source that includes this one some seconds.
namespace c10 {
struct ClassType;
}  // namespace c10
namespace torch::jit {
struct CompilationUnit;
struct Source;
}  // namespace torch::jit

namespace modelport {

// Makes the TorchScript module of `tree`, in eval mode: every module has torch.nn's attribute `training`, which is
// false. `tensors` has one tensor for each of tree.slots, of its shape; the module shares them and copies nothing.
// `has_operator` answers the text's hasattr(torch, "NAME").
//   InvalidArgument  the plugin's text does not compile; names the plugin's file and line
absl::StatusOr<torch::jit::Module> BuildModule(const ModuleTree& tree, const std::vector<at::Tensor>& tensors,
                                               HasOperator has_operator = CompilerHasOperator);

// The words in the text of the tree's methods and of the functions that these words name. The free functions that the
// methods call, themselves or through other functions, are among them. The words lie in the tree's library.
absl::flat_hash_set<absl::string_view> CalledNames(const ModuleTree& tree);

// Removes from the classes of `module` and its submodules every method that the method `name` of `module` does not
// call, directly or through others. Other modules that are still in use must not share these classes.
//   NotFound  `module` has no such method
absl::Status KeepMethod(const torch::jit::Module& module, const std::string& name);

// Whether a text that is yet to be compiled calls the function `name`.
using CalledFunctions = std::function<bool(const std::string& name)>;

// Makes one TorchScript class for each distinct module type: nodes of a tree that agree in type, constants and the
// classes of their submodules share a class, whatever the shapes of their tensors. After an error the compiler must not
// be used again.
class Compiler {
 public:
  // `has_operator` answers the text's hasattr(torch, "NAME").
  explicit Compiler(HasOperator has_operator = CompilerHasOperator);
  ~Compiler();

  // Parses the library's free functions and compiles those that later text calls. LibTorch's time for a function grows
  // with the square of its constants, so those that nothing calls are left out.
  //   InvalidArgument  "models/family/modules.yaml:43: function rotate does not compile: ..." with the source line
  //   underlined
  absl::Status AddFunctions(const std::vector<SourceText>& functions, const CalledFunctions& is_called);

  // Compiles all of them.
  absl::Status AddFunctions(const std::vector<SourceText>& functions);

  // The class of `node`, whose submodules' classes are made first. `node` must outlive the compiler. Errors as for
  // AddFunctions.
  absl::StatusOr<std::shared_ptr<c10::ClassType>> ClassFor(const ModuleNode& node);

  const std::shared_ptr<torch::jit::CompilationUnit>& unit() const;

 private:
  class Classes;

  std::unique_ptr<Classes> classes_;
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
