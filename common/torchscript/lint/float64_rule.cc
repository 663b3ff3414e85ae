#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/torchscript/lint/facts.h"
#include "common/torchscript/lint/fixed_option_findings.h"
#include "common/torchscript/lint/rules.h"

namespace modelport {
namespace {

bool IsFloat64(const at::Tensor& tensor) { return tensor.dim() > 0 && tensor.scalar_type() == c10::kDouble; }

// Whether `value` is a float64 tensor, or a list, dictionary or tuple that contains one.
bool HoldsFloat64(const c10::IValue& value) {
  if (value.isModule()) return false;
  const std::vector<at::Tensor> tensors = HeldTensors(value);
  return std::any_of(tensors.begin(), tensors.end(), IsFloat64);
}

}  // namespace

void CheckFloat64(const LintSubject& subject, std::vector<Finding>& findings) {
  for (const auto& module : subject.module.named_modules()) {
    for (const auto& attribute : module.value.named_attributes(/*recurse=*/false)) {
      if (!HoldsFloat64(attribute.value)) continue;
      findings.push_back({.modules = {module.name},
                          .message = absl::StrCat(attribute.value.isTensor() ? "the tensor " : "a tensor in ",
                                                  attribute.name, " is float64"),
                          .cure = "convert it to float32 before saving"});
    }
  }
  for (const FixedOptionPtr& option : subject.trace.fixed_options) {
    if (option->value != "float64" || option->kind == FixedOption::Kind::kAttribute) continue;
    findings.push_back(FixedOptionFinding(*option, DescribeFixedOption(*option)));
    if (option->kind != FixedOption::Kind::kConstant)
      findings.back().cure = "use float32, or the dtype of a tensor, x.dtype";
  }
}

}  // namespace modelport
