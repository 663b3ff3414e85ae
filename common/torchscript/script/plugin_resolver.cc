#include "common/torchscript/script/plugin_resolver.h"

#include <c10/core/ScalarType.h>
#include <torch/csrc/jit/frontend/error_report.h>
#include <torch/csrc/jit/frontend/sugared_value.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/text/dotted_path.h"
#include "common/torchscript/script/graph_operators.h"

namespace modelport {
namespace {

using torch::jit::BuiltinModule;
using torch::jit::ErrorReport;
using torch::jit::GraphFunction;
using torch::jit::SimpleValue;
using torch::jit::SourceRange;
using torch::jit::SugaredValue;

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

}  // namespace modelport
