#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/torchscript/lint/fixed_option_findings.h"
#include "common/torchscript/lint/operator_kinds.h"
#include "common/torchscript/lint/rules.h"

namespace modelport {
namespace {

bool TakesModelDtype(const Step& step) {
  const std::vector<Operand> operands = TensorOperands(step);
  return std::any_of(operands.begin(), operands.end(), [](const Operand& operand) {
    return operand.fact->dtype.model && operand.fact->dtype.fixed == nullptr;
  });
}

Finding NoKernel(const Step& step) {
  return {.modules = {step.module},
          .line = FindSourceLine(step.node->sourceRange()),
          .message = absl::StrCat(step.name(), " does not take float16"),
          .cure = "cast to float32 for it and back: y = f(x.to(torch.float32)).to(x.dtype)"};
}

}  // namespace

void CheckHalf(const LintSubject& subject, std::vector<Finding>& findings) {
  FixedOptionsSeen seen;
  for (const Step& step : subject.trace.steps) {
    if (LacksHalf(step.name()) && TakesModelDtype(step)) findings.push_back(NoKernel(step));
    if (!WantsOneDtype(step.name())) continue;
    const FixedOptionPtr option = FindClash(step, &Fact::dtype);
    if (option == nullptr || !seen.Insert(*option)) continue;
    findings.push_back(FixedOptionFinding(
        *option, absl::StrCat(DescribeFixedOption(*option), "; ", DescribeStep(step),
                              " refuses it together with tensors of the precision that the host chooses")));
  }
}

}  // namespace modelport
