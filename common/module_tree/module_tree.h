// A ModuleTree is one variant's modules, instantiated: every parameter and buffer with its dotted name and shape,
// before any weight is read and without LibTorch.
#ifndef MODELPORT_COMMON_MODULE_TREE_MODULE_TREE_H_
#define MODELPORT_COMMON_MODULE_TREE_MODULE_TREE_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/expression/expression.h"
#include "common/module_tree/entry_point.h"
#include "common/module_tree/module_library.h"
#include "common/module_tree/module_type.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"

namespace modelport {

// An attribute that a user of the artifact may set. The plugin states its range and meaning.
struct Knob {
  std::string name;
  bool is_integer = false;  // Else it is a float.
  double value = 0;         // From min to max.
  double min = 0;
  double max = 0;
  std::string help;
  std::vector<std::string> choices = {};  // What the values from 0 to max mean, in their order; empty for a number.
};

// The knob that `decl` declares; `decl` is an attribute with a `knob`, and `value` is its value.
//   InvalidArgument  `value` or a bound is not a number, or `value` is out of range, or `choices` are not those of the
//                    integers from 0 to the maximum
absl::StatusOr<Knob> MakeKnob(const ValueDecl& decl, const Value& value, const Scope& scope);

// A place for one tensor: a parameter or a buffer of the tree.
struct Slot {
  std::string name;  // "blocks.0.attn.qkv.weight": torch's state-dict key.
  Shape shape;
  bool is_buffer = false;
  absl::optional<DType> dtype = {};  // Of a buffer that is not floating; floating slots take the dtype of the export.
  // Of a table of positions: how many rows of dimension 1 stand before those of a square grid.
  absl::optional<int64_t> positions = {};
};

struct ModuleNode {
  struct Tensor {
    std::string name;  // In its module: "weight".
    int slot;          // Index into ModuleTree::slots.
  };
  struct Child {
    std::string name;
    std::unique_ptr<ModuleNode> node;
  };

  const ModuleType* type = nullptr;  // Null for a list. Owned by the tree's library.
  Scope arguments;                   // Of the type, by name.
  std::string path;                  // "" for the root, "blocks.0.attn".
  std::vector<Tensor> parameters;
  std::vector<Tensor> buffers;
  std::vector<std::pair<std::string, Value>> constants;  // No TypeName among them.
  std::vector<std::pair<std::string, Value>> attributes;
  std::vector<Knob> knobs;  // Of the attributes that declare one.
  std::vector<Child> children;

  bool is_list() const { return type == nullptr; }
};

struct ModuleTree {
  std::shared_ptr<const ModuleLibrary> library;
  ModuleNode root;
  std::vector<Slot> slots;  // In state-dict order: a module's parameters, its buffers, then its children.
  absl::optional<Interface> interface = {};   // What the root tells its host, if its type says it.
  std::vector<EntryPoint> entry_points = {};  // Of the root, those that its type states.
};

// Instantiates `call`, such as Net(dim=384, ...), with the types of `library`. Every shape, repeat and condition of the
// whole tree is evaluated.
//   InvalidArgument  names file, line and path of each problem: an unknown type, wrong arguments, a size that is not
//                    positive, a type that contains itself, a tree beyond its budget (tree_budget.h)
absl::StatusOr<ModuleTree> BuildModuleTree(std::shared_ptr<const ModuleLibrary> library, const Call& call);

// The elements of all parameters of `tree`; buffers are not counted.
int64_t CountParameters(const ModuleTree& tree);

// The constant of `tree` at a dotted path, "backbone.num_register_tokens"; null if there is none.
const Value* FindConstant(const ModuleTree& tree, absl::string_view path);

// The module or list of `tree` at a dotted path, "blocks.0.norm1", the root for ""; null if there is none.
const ModuleNode* FindModule(const ModuleTree& tree, absl::string_view path);

// The slots of `tree` below `child`, a child of the root, by their names in that child and in their order: `weight` for
// the slot `head.weight` of the child `head`. All slots if `child` is empty. The result has slots only, no modules.
ModuleTree TreePart(const ModuleTree& tree, absl::string_view child);

// The name of a wrapped tree within its wrapper.
inline constexpr char kWrappedName[] = "model";

// Instantiates `wrapper` around a copy of `model`, the tree of `call`, which becomes its child "model". `wrapper` may
// use the arguments of `call` and `scope`, and has no tensors of its own: the slots are those of `model`, in the same
// order, with "model." in front of their names.
//   InvalidArgument  as BuildModuleTree; a wrapper that has tensors, or a member "model"
absl::StatusOr<ModuleTree> WrapTree(const ModuleTree& model, const Call& wrapper, const Scope& scope, const Call& call);

}  // namespace modelport

#endif  // MODELPORT_COMMON_MODULE_TREE_MODULE_TREE_H_
