#include "common/torchscript/script/plugin_resolver.h"

#include <c10/core/ScalarType.h>
#include <torch/csrc/jit/frontend/sugared_value.h>
#include <torch/csrc/jit/ir/ir.h>

#include "common/torchscript/script/absent_module.h"

namespace modelport {
namespace {

using torch::jit::BuiltinModule;
using torch::jit::GraphFunction;
using torch::jit::SimpleValue;
using torch::jit::SourceRange;
using torch::jit::SugaredValue;

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

}  // namespace modelport
