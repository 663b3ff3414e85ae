#include "common/torchscript/script/absent_module.h"

#include <torch/csrc/jit/frontend/error_report.h>

#include <algorithm>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/text/dotted_path.h"
#include "common/torchscript/script/operator_names.h"

namespace modelport {
namespace {

using torch::jit::ErrorReport;
using torch::jit::GraphFunction;
using torch::jit::SourceRange;
using torch::jit::SugaredValue;

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

}  // namespace

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

}  // namespace modelport
