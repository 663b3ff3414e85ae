// Module types as a plugin's YAML states them, not yet instantiated. docs/plugins.md describes the YAML.
#ifndef MODELPORT_COMMON_MODULE_TREE_MODULE_TYPE_H_
#define MODELPORT_COMMON_MODULE_TREE_MODULE_TYPE_H_

#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "common/expression/expression.h"
#include "common/module_tree/entry_point.h"
#include "common/tensor/dtype.h"
#include "common/yaml/document.h"

namespace modelport {

// Every module of an artifact has this attribute, as in torch.nn. Its value is false.
inline constexpr char kTrainingName[] = "training";

// A piece of TorchScript text and where it stands, so that compile errors and tracebacks name the plugin's file and
// line.
struct SourceText {
  std::string text;  // Empty if there is none.
  std::string file;  // The path from which the file was read.
  int line = 0;      // 1-based line in `file` of the text's first line.
  std::string name;  // What artifacts call the file, wherever it was read from: "models/family/modules.yaml".
};

// A parameter or buffer: a tensor slot with a shape.
struct TensorDecl {
  std::string name;
  std::vector<Expression> shape;
  absl::optional<Expression> when;   // The slot exists only where this is neither 0 nor false.
  absl::optional<DType> dtype = {};  // Of a buffer that is not floating; floating ones take that of the export.
  absl::optional<Expression> positions = {};  // As in Slot.
  YamlMark mark = {};
};

// The range of an attribute that a user may set, and what it does.
struct KnobDecl {
  Expression min;
  Expression max;
  std::string help;
  std::vector<std::string> choices = {};  // As of Knob.
};

// A constant (fixed in the compiled class) or an attribute (may be set on a loaded artifact).
struct ValueDecl {
  std::string name;
  Expression value;
  absl::optional<KnobDecl> knob;    // Of an attribute only.
  absl::optional<Expression> when;  // The attribute exists only where this is neither 0 nor false.
  YamlMark mark;
};

// A submodule, or a list of submodules named "0", "1", ... (torch's ModuleList; when called, torch's Sequential).
// An item of a list may also be a group: its items become items of the list itself, and the indices continue.
struct ModuleEntry {
  enum class Kind { kCall, kList, kGroup };

  Kind kind = Kind::kCall;
  Call call = {};                          // "Block(dim, heads)", of a call.
  std::vector<ModuleEntry> items = {};     // Of a list or group.
  absl::optional<Expression> repeat = {};  // Of an item only: how many of them; 1 if absent.
  absl::optional<Expression> when = {};    // Of an item only: it is left out where this is 0 or false.
  YamlMark mark = {};
};

// A named submodule.
struct ChildDecl {
  std::string name;
  ModuleEntry module;
  absl::optional<Expression> when;        // The child is `module` only where this is neither 0 nor false.
  absl::optional<ModuleEntry> otherwise;  // What it is elsewhere; absent: there is no such child.
  YamlMark mark;
};

// A module type: what torch.nn calls a Module class.
struct ModuleType {
  Signature signature;                       // "Attention(dim, heads)"
  std::string upstream;                      // The upstream file and class that it ports; empty if not stated.
  absl::optional<InterfaceDecl> interface;   // Of a wrapper: what it tells its host.
  std::vector<EntryPointDecl> entry_points;  // Of a root: the methods that programs call.
  std::vector<TensorDecl> parameters;
  std::vector<TensorDecl> buffers;
  std::vector<ValueDecl> constants;
  std::vector<ValueDecl> attributes;
  std::vector<ChildDecl> children;
  SourceText methods;  // TorchScript: one or more `def`s.
  YamlMark mark;

  const std::string& name() const { return signature.name; }
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_MODULE_TREE_MODULE_TYPE_H_
