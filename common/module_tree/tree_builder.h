#ifndef MODELPORT_COMMON_MODULE_TREE_TREE_BUILDER_H_
#define MODELPORT_COMMON_MODULE_TREE_TREE_BUILDER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/expression/expression.h"
#include "common/module_tree/module_library.h"
#include "common/module_tree/module_tree.h"
#include "common/module_tree/module_type.h"
#include "common/module_tree/tree_budget.h"
#include "common/tensor/shape.h"
#include "common/yaml/document.h"
#include "common/yaml/problems.h"

namespace modelport {

// Instantiates calls of module types into one tree, and collects what is wrong with them.
class TreeBuilder {
 public:
  // For a tree whose root `root` calls. `wrapped` is the tree that this root wraps, if it is a wrapper; it must outlive
  // the builder.
  TreeBuilder(std::shared_ptr<const ModuleLibrary> library, const Call& root, const ModuleTree* wrapped = nullptr);

  // Instantiates `call`, made at `mark` from a type with the arguments `caller`, into `node`, whose path is set.
  void Build(const Call& call, const Scope& caller, const YamlMark& mark, ModuleNode* node);

  // Records a problem of `node` that the line at `mark` causes.
  void AddProblem(const YamlMark& mark, const ModuleNode& node, absl::string_view message);

  // The tree as built so far.
  ModuleTree& tree() { return tree_; }

  // InvalidArgument names all problems.
  absl::StatusOr<ModuleTree> Finish();

 private:
  const ModuleType* Resolve(const Call& call, const Scope& caller, const YamlMark& mark, const ModuleNode& node);
  bool Enter(const ModuleType& type, const YamlMark& mark, const ModuleNode& node);
  void CheckTypeArguments(const Scope& scope, const YamlMark& mark, const ModuleNode& node);
  void AddTensors(const std::vector<TensorDecl>& tensors, bool is_buffer, const Scope& scope, const ModuleNode& node,
                  std::vector<ModuleNode::Tensor>* added);
  void AddValues(const std::vector<ValueDecl>& values, const Scope& scope, ModuleNode* node,
                 std::vector<std::pair<std::string, Value>>* added);
  void AddInterface(const InterfaceDecl& decl, const Scope& scope, const ModuleNode& root);
  void AddChild(const ChildDecl& child, const Scope& scope, ModuleNode* node);
  void AddModule(const ModuleEntry& entry, const Scope& scope, ModuleNode* node);
  void AddItems(const ModuleEntry& item, const Scope& scope, ModuleNode* list);

  // Returns the value, or records a problem and returns nullopt.
  template <typename T>
  absl::optional<T> Valid(absl::StatusOr<T> value, const YamlMark& mark, const ModuleNode& node);
  // Returns whether `status`, which comes from the budget, is OK. If not, records it and stops the building.
  bool Affords(const absl::Status& status, const YamlMark& mark, const ModuleNode& node);
  bool stopped() const { return exhausted_ || problems_.enough(); }
  bool Holds(const absl::optional<Expression>& condition, const Scope& scope, const YamlMark& mark,
             const ModuleNode& node);
  absl::optional<Shape> EvaluateShape(const TensorDecl& tensor, const Scope& scope, const ModuleNode& node);

  const ModuleTree* wrapped_;
  ModuleTree tree_;
  YamlProblems problems_;
  TreeBudget budget_;
  bool exhausted_ = false;               // Of the budget.
  int64_t depth_ = 0;                    // Of the module or list being built, the root's being 1.
  std::vector<const ModuleType*> open_;  // Types from the root to the module being built.
};

// A new last child of `parent`.
ModuleNode* NewChild(const std::string& name, ModuleNode* parent);

}  // namespace modelport

#endif  // MODELPORT_COMMON_MODULE_TREE_TREE_BUILDER_H_
