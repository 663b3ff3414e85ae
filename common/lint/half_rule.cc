#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/lint/literal_findings.h"
#include "common/lint/operator_kinds.h"
#include "common/lint/rules.h"

namespace modelport {
namespace {

bool TakesModelDtype(const Step& step) {
  const std::vector<Operand> operands = TensorOperands(step);
  return std::any_of(operands.begin(), operands.end(), [](const Operand& operand) {
    return operand.fact->dtype.model && operand.fact->dtype.literal == nullptr;
  });
}

Finding NoKernel(const Step& step) {
  return {"",
          {step.module},
          FindSourceLine(step.node->sourceRange()),
          absl::StrCat(step.name(), " does not take float16"),
          "cast to float32 for it and back: y = f(x.to(torch.float32)).to(x.dtype)"};
}

}  // namespace

void CheckHalf(const LintSubject& subject, std::vector<Finding>& findings) {
  LiteralsSeen seen;
  for (const Step& step : subject.trace.steps) {
    if (LacksHalf(step.name()) && TakesModelDtype(step)) findings.push_back(NoKernel(step));
    if (!WantsOneDtype(step.name())) continue;
    const LiteralPtr literal = FindClash(step, &Fact::dtype);
    if (literal == nullptr || !seen.Insert(*literal)) continue;
    findings.push_back(LiteralFinding(
        *literal, absl::StrCat(DescribeLiteral(*literal), "; ", DescribeStep(step),
                               " refuses it together with tensors of the precision that the host chooses")));
  }
}

}  // namespace modelport
