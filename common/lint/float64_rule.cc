#include <ATen/core/Tensor.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "common/lint/literal_findings.h"
#include "common/lint/rules.h"

namespace modelport {
namespace {

bool IsFloat64(const c10::IValue& value) {
  return value.isTensor() && value.toTensor().defined() && value.toTensor().dim() > 0 &&
         value.toTensor().scalar_type() == c10::kDouble;
}

}  // namespace

void CheckFloat64(const LintSubject& subject, std::vector<Finding>& findings) {
  for (const auto& module : subject.module.named_modules()) {
    for (const auto& attribute : module.value.named_attributes(/*recurse=*/false)) {
      if (!IsFloat64(attribute.value)) continue;
      findings.push_back({"",
                          {module.name},
                          {},
                          absl::StrCat("the tensor ", attribute.name, " is float64"),
                          "convert it to float32 before saving"});
    }
  }
  for (const LiteralPtr& literal : subject.trace.literals) {
    if (literal->value != "float64" || literal->kind == Literal::Kind::kAttribute) continue;
    findings.push_back(LiteralFinding(*literal, DescribeLiteral(*literal)));
    if (literal->kind != Literal::Kind::kConstant)
      findings.back().cure = "use float32, or the dtype of a tensor, x.dtype";
  }
}

}  // namespace modelport
