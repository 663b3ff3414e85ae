// What names mean while TorchScript text is compiled: the free ones, and `self` with its submodules.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_PLUGIN_RESOLVER_H_
#define MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_PLUGIN_RESOLVER_H_

#include <ATen/core/jit_type.h>
#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/frontend/resolver.h>
#include <torch/csrc/jit/frontend/sugared_value.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "common/module_tree/module_tree.h"
#include "common/torchscript/script/graph_operators.h"

namespace modelport {

// Resolves the free names of a plugin's TorchScript text: `torch` (operators and dtypes such as torch.float32), `math`,
// and the plugin's free functions. hasattr(torch, "silu") is evaluated by the compiler, which leaves out the branch not
// taken. F, nn, torch.nn and other Python modules are errors that name the operator to call.
class PluginResolver : public torch::jit::Resolver {
 public:
  explicit PluginResolver(HasOperator has_operator) : has_operator_(std::move(has_operator)) {}

  // Whether `name` has a meaning in every text, so that a plugin's function of this name could not be called.
  static bool IsReserved(const std::string& name) { return name == "torch" || name == "math"; }

  // Makes `function`, compiled earlier, callable as `name`.
  void AddFunction(const std::string& name, torch::jit::Function* function) { functions_[name] = function; }

  std::shared_ptr<torch::jit::SugaredValue> resolveValue(const std::string& name, torch::jit::GraphFunction& function,
                                                         const torch::jit::SourceRange& range) override;
  torch::jit::TypePtr resolveType(const std::string& name, const torch::jit::SourceRange& range) override;

 private:
  HasOperator has_operator_;
  std::map<std::string, torch::jit::Function*> functions_;
};

// The most bytes of text that loops over submodules may repeat in one block of methods. The loops are unrolled, and
// LibTorch's time grows with the square of the result; this size takes some seconds. The largest published model
// repeats 43 KiB.
inline constexpr size_t kMaxRepeatedText = 256 << 10;

// The classes that a compilation has made for modules.
struct ModuleClasses {
  std::map<const c10::ClassType*, const ModuleNode*> nodes;  // By class, the first module that it was made for.
  size_t repeated_text = 0;                                  // In bytes, by the methods being compiled.
};

// A module in the text being compiled. Submodules and constants are its attributes. A list of submodules can be looped
// over (the loop is unrolled), indexed by an integer literal, and called, which calls one submodule after the other.
class ModuleValue : public torch::jit::SugaredValue {
 public:
  // `classes` must outlive it.
  ModuleValue(torch::jit::Value* value, ModuleClasses& classes) : value_(value), classes_(classes) {}

  std::string kind() const override { return "module"; }
  torch::jit::Value* asValue(const torch::jit::SourceRange&, torch::jit::GraphFunction&) override { return value_; }

  std::shared_ptr<SugaredValue> attr(const torch::jit::SourceRange& range, torch::jit::GraphFunction& function,
                                     const std::string& name) override;
  bool hasAttr(const torch::jit::SourceRange& range, torch::jit::GraphFunction& function,
               const std::string& name) override;
  std::shared_ptr<SugaredValue> call(const torch::jit::SourceRange& range, torch::jit::GraphFunction& function,
                                     at::ArrayRef<torch::jit::NamedValue> args,
                                     at::ArrayRef<torch::jit::NamedValue> kwargs, size_t n_binders) override;
  std::shared_ptr<SugaredValue> iter(const torch::jit::SourceRange& range,
                                     torch::jit::GraphFunction& function) override;
  std::shared_ptr<SugaredValue> getitem(const torch::jit::SourceRange& range, torch::jit::GraphFunction& function,
                                        torch::jit::Value* index, torch::jit::TypePtr type_hint) override;

 private:
  c10::ClassTypePtr type() const { return value_->type()->expect<c10::ClassType>(); }
  const ModuleNode& node() const { return *classes_.nodes.find(type().get())->second; }
  // The submodules of a list. Each adds `text` bytes to the repeated text.
  std::shared_ptr<torch::jit::SugaredTupleValue> Items(const torch::jit::SourceRange& range,
                                                       torch::jit::GraphFunction& function, size_t text);

  torch::jit::Value* value_;
  ModuleClasses& classes_;
};

// Tells the compiler that `self` of the methods being compiled is a ModuleValue of `type`.
class ModuleSelf : public torch::jit::Self {
 public:
  // `classes` must outlive it and the ModuleValues.
  ModuleSelf(c10::ClassTypePtr type, ModuleClasses& classes) : type_(std::move(type)), classes_(classes) {}

  std::shared_ptr<torch::jit::SugaredValue> makeSugared(torch::jit::Value* value) const override {
    value->setType(type_);
    return std::make_shared<ModuleValue>(value, classes_);
  }
  c10::ClassTypePtr getClassType() const override { return type_; }

 private:
  c10::ClassTypePtr type_;
  ModuleClasses& classes_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_PLUGIN_RESOLVER_H_
